'use strict';
// The page is complete without this script. It adds the switch of themes, sorting, and reading values off charts.
(() => {
  const root = document.documentElement;
  const store = {
    get() { try { return localStorage.getItem('firn-theme'); } catch { return null; } },
    set(v) { try { localStorage.setItem('firn-theme', v); } catch { /* The choice then lasts as long as the page. */ } },
  };

  const apply = (theme) => {
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  const themes = document.querySelector('fieldset.theme');
  const stored = store.get();
  for (const input of themes.querySelectorAll('input')) {
    input.checked = input.value === (stored || 'system');
    input.addEventListener('change', () => { apply(input.value); store.set(input.value); });
  }
  apply(stored);
  themes.hidden = false;

  // Sorting: a click on a heading, again for the other way round. Rows that tie stay in their order, rows without a figure come last.
  const key = (row, i) => {
    const cell = row.cells[i];
    if (cell.dataset.v === undefined) return cell.textContent.trim();
    return cell.dataset.v === '' ? NaN : Number(cell.dataset.v);
  };
  const compare = (a, b) => {
    if (typeof a === 'string') return a.localeCompare(b);
    if (Number.isNaN(a) || Number.isNaN(b)) return 0;
    return a - b;
  };
  for (const button of document.querySelectorAll('th button')) {
    button.addEventListener('click', () => {
      const head = button.closest('th');
      const way = head.getAttribute('aria-sort') === 'ascending' ? 'descending' : 'ascending';
      for (const th of head.parentElement.cells) th.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', way);
      const body = head.closest('table').tBodies[0];
      const rows = [...body.rows].map((row) => ({ row, key: key(row, head.cellIndex) }));
      const sign = way === 'ascending' ? 1 : -1;
      rows.sort((a, b) => Number(Number.isNaN(a.key)) - Number(Number.isNaN(b.key)) || sign * compare(a.key, b.key));
      body.append(...rows.map((r) => r.row));
    });
  }

  // Reading charts: the mark nearest to the pointer, or with the arrow keys from mark to mark.
  const tip = document.createElement('div');
  tip.className = 'tip';
  tip.hidden = true;
  document.body.append(tip);
  const said = document.createElement('p');
  said.className = 'unseen';
  said.setAttribute('aria-live', 'polite');
  document.body.append(said);
  let now = null;
  const show = (mark) => {
    if (now) now.classList.remove('now');
    now = mark;
    tip.hidden = !mark;
    if (!mark) return;
    mark.classList.add('now');
    tip.textContent = mark.dataset.tip;
    const at = mark.getBoundingClientRect();
    const size = tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, at.left + at.width / 2 - size.width / 2), root.clientWidth - size.width - 8);
    const above = at.top - size.height - 8;
    tip.style.left = left + 'px';
    tip.style.top = (above >= 0 ? above : at.bottom + 8) + 'px';
  };
  for (const plot of document.querySelectorAll('.plot')) {
    const marks = [...plot.querySelectorAll('.mark:not(.key)')].filter((m) => m.querySelector('title'));
    for (const mark of marks) {
      const title = mark.querySelector('title');
      mark.dataset.tip = title.textContent;
      title.remove();
    }
    const middle = (m) => { const r = m.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; };
    plot.addEventListener('pointermove', (event) => {
      let best = null;
      let least = 900;
      for (const mark of marks) {
        const [x, y] = middle(mark);
        const far = (x - event.clientX) ** 2 + (y - event.clientY) ** 2;
        if (far < least) { best = mark; least = far; }
      }
      if (best !== now) show(best);
    });
    plot.addEventListener('pointerleave', () => show(null));
    plot.addEventListener('blur', () => show(null));
    plot.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10 }[event.key];
      if (event.key === 'Escape') { show(null); return; }
      let next = marks.indexOf(now);
      if (step) next = next < 0 ? (step > 0 ? 0 : marks.length - 1) : Math.min(Math.max(0, next + step), marks.length - 1);
      else if (event.key === 'Home') next = 0;
      else if (event.key === 'End') next = marks.length - 1;
      else return;
      event.preventDefault();
      if (!marks[next]) return;
      show(marks[next]);
      said.textContent = marks[next].dataset.tip;
    });
  }
  window.addEventListener('scroll', () => { if (now && !document.activeElement.contains(now)) show(null); }, { passive: true });
})();
