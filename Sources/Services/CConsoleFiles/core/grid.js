// A grid that draws only what is seen: 10,000 rows are some 40 elements of rows. One tab stop, moved in by arrows.
import {texts} from './texts-parts.js';
import {fill, h, icon} from './view.js';
import {eachFrame} from './controls.js';
import {preference} from './session.js';

const beyond = 4;
let grids = 0;

// A text takes the place of the text before: most cells are one text, and keep their node.
function put(cell, content) {
  const text = typeof content === 'string' ? content : content instanceof Text ? content.data : undefined;
  const before = cell.firstChild;
  if (text === undefined || !(before instanceof Text) || before.nextSibling) fill(cell, content);
  else if (before.data !== text) before.data = text;
}

/**
 * A grid. `columns` are `{key, title, width, grow, align, draw(row), sort}`; `key(row)` names a row. Called are
 * `open(row)`, `more()` when the
 * end comes into sight, `sort(key, direction)`, `select(keys)` and `menu(row, element)`. Answers `{element, rows(list,
 * complete), columns(list), sorted(key, direction), selected, current(), focus(), draw(), clear()}`.
 */
export function grid({label, columns: given, key, open, more, sort, select, current: moved, high, live}) {
  const id = `grid-${++grids}`;
  const height = high ?? (preference('rows') === 'wide' ? 36 : 28);
  let columns = given;
  let list = [];
  let complete = false;
  let order = {};
  let at = {row: 0, column: 0};
  let anchor;
  const selected = new Set();
  const drawn = new Map();
  const free = [];

  const head = h('div', {role: 'row', class: 'grid-row grid-head', 'aria-rowindex': '1'});
  const headGroup = h('div', {role: 'rowgroup', class: 'grid-heads'}, head);
  const body = h('div', {role: 'rowgroup', class: 'grid-body'});
  const element = h('div', {class: 'grid', role: 'grid', tabindex: '0', 'aria-label': label, 'aria-multiselectable': select
    ? 'true' : undefined}, headGroup, body);
  element.style.setProperty('--row', `${height}px`);
  const ticks = select ? 1 : 0;

  const looks = (column, index) => `cell ${column.align === 'right' ? 'right' : ''} ${index === 0 ? 'first' : ''}`;

  const least = () => columns.reduce((sum, column) => sum + (column.width ?? 120), ticks * 36);
  // Fixed cells are layers of their own: they are fixed where the grid scrolls sideways, and nowhere else.
  const fix = () => element.classList.toggle('sideways', element.clientWidth > 0 && least() > element.clientWidth);

  function layout() {
    const widths = [...(select ? ['36px'] : []), ...columns.map((column) => column.grow === 0 ? `${column.width ?? 120}px`
      : `minmax(${column.width ?? 120}px, ${column.grow ?? 1}fr)`)];
    element.style.setProperty('--columns', widths.join(' '));
    element.style.setProperty('--least', `${least()}px`);
    fix();
    element.setAttribute('aria-colcount', columns.length + ticks);
    fill(head, select && h('div', {role: 'columnheader', class: 'cell tick', 'aria-colindex': '1', id: `${id}-h-0`,
      onclick: () => selectAll()}, tick(), h('span', {class: 'spoken'}, texts.selected)),
      columns.map((column, index) => h('div', {
      role: 'columnheader',
        class: `${looks(column, index)} ${column.sort && sort ? 'sortable' : ''}`, id: `${id}-h-${index + ticks}`,
          'aria-colindex': index + ticks + 1,
      'aria-sort': order.key === column.key ? (order.direction < 0 ? 'descending' : 'ascending') : column.sort && sort
        ? 'none' : undefined, title: column.note,
      onclick: column.sort && sort ? () => turn(column) : undefined}, h('span', {class: 'cut'}, column.title),
        order.key === column.key && icon(order.direction < 0 ? 'down' : 'up'))));
    for (const row of drawn.values()) row.remove();
    drawn.clear();
    free.length = 0;
    draw();
  }

  const tick = () => h('span', {class: 'tick-box', 'aria-hidden': 'true'}, icon('check'));
  const turn = (column) => sort(column.key, order.key === column.key && order.direction > 0 ? -1 : 1);

  function make() {
    return h('div', {role: 'row', class: 'grid-row'}, select
      && h('div', {role: 'gridcell', class: 'cell tick', 'aria-colindex': '1'}, tick()),
      columns.map((column, index) =>
        h('div', {role: 'gridcell',
        class: `${looks(column, index)} ${column.code ? 'code' : ''}`, 'aria-colindex': index + ticks + 1})));
  }

  function write(row, index) {
    const value = list[index];
    if (row.index !== index) {
      row.index = index;
      row.style.transform = `translateY(${index * height}px)`;
      row.setAttribute('aria-rowindex', index + 2);
      row.dataset.index = index;
    }
    if (row.value !== value) {
      row.value = value;
      columns.forEach((column, place) => put(row.children[place + ticks], column.draw(value)));
    }
    mark(row, index);
  }

  function unmark(row) {
    const cell = row.children[row.place];
    row.place = -1;
    if (!cell) return;
    row.classList.remove('at');
    cell.classList.remove('at');
    cell.removeAttribute('id');
  }

  // Only what differs is written: most rows look as before.
  function mark(row, index) {
    const chosen = Boolean(select) && selected.has(key(list[index]));
    if (select && row.chosen !== chosen) {
      row.chosen = chosen;
      row.setAttribute('aria-selected', chosen);
    }
    const place = index === at.row ? at.column : -1;
    if (row.place === place) return;
    unmark(row);
    row.place = place;
    if (place < 0) return;
    row.classList.add('at');
    row.children[place].classList.add('at');
    row.children[place].id = `${id}-c`;
    element.setAttribute('aria-activedescendant', `${id}-c`);
  }

  function draw() {
    const total = list.length;
    body.style.height = `${total * height}px`;
    element.setAttribute('aria-rowcount', complete ? total + 1 : -1);
    const from = Math.max(0, Math.floor((element.scrollTop) / height) - beyond);
    const to = Math.min(total, Math.ceil((element.scrollTop + element.clientHeight) / height) + beyond);
    for (const [index, row] of drawn) {
      if (index >= from && index < to) continue;
      drawn.delete(index);
      unmark(row);
      free.push(row);
    }
    for (let index = from; index < to; index += 1) {
      let row = drawn.get(index);
      if (!row) {
        row = free.pop() ?? make();
        drawn.set(index, row);
        if (!row.isConnected) body.append(row);
      }
      row.hidden = false;
      write(row, index);
    }
    for (const row of free) row.hidden = true;
    if (at.row < 0) for (const cell of head.children) cell.classList.toggle('at', cell.id === `${id}-h-${at.column}`);
    else for (const cell of head.children) cell.classList.remove('at');
    if (at.row < 0) element.setAttribute('aria-activedescendant', `${id}-h-${at.column}`);
    else if (!drawn.has(at.row)) element.removeAttribute('aria-activedescendant');
    if (!complete && more && element.clientHeight && to > total - 60) more();
  }
  const soon = eachFrame(draw);

  function move(row, column, extend) {
    const before = at.row;
    at = {row: Math.max(-1, Math.min(list.length - 1, row)),
      column: Math.max(0, Math.min(columns.length + ticks - 1, column))};
    if (extend && select) {
      anchor ??= before;
      selected.clear();
      for (let index = Math.min(anchor, at.row); index <= Math.max(anchor, at.row);
        index += 1) if (list[index]) selected.add(key(list[index]));
      select(selected);
    } else anchor = undefined;
    const top = at.row * height;
    const room = element.clientHeight - headGroup.offsetHeight;
    if (at.row >= 0 && top < element.scrollTop) element.scrollTop = top;
    else if (top + height > element.scrollTop + room) element.scrollTop = top + height - room;
    draw();
    const cell = at.row < 0 ? head.children[at.column] : drawn.get(at.row)?.children[at.column];
    if (cell && at.column > ticks) {
      const fixed = (ticks ? 36 : 0) + (head.children[ticks]?.offsetWidth ?? 0);
      if (cell.offsetLeft - fixed < element.scrollLeft) element.scrollLeft = cell.offsetLeft - fixed;
      else if (cell.offsetLeft + cell.offsetWidth > element.scrollLeft
        + element.clientWidth) element.scrollLeft = cell.offsetLeft + cell.offsetWidth - element.clientWidth;
    } else if (cell) element.scrollLeft = 0;
    if (before !== at.row && list[at.row]) moved?.(list[at.row]);
  }

  function toggle(index) {
    const name = key(list[index]);
    if (!selected.delete(name)) selected.add(name);
    select(selected);
    draw();
  }

  function selectAll() {
    const all = selected.size < list.length;
    selected.clear();
    if (all) for (const row of list) selected.add(key(row));
    select(selected);
    draw();
  }

  element.addEventListener('scroll', soon, {passive: true});
  element.addEventListener('keydown', (event) => {
    if (event.target !== element || event.altKey) return;
    const page = Math.max(1, Math.floor((element.clientHeight - headGroup.offsetHeight) / height) - 1);
    const control = event.ctrlKey || event.metaKey;
    const steps = {ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageDown: [page, 0],
      PageUp: [-page, 0]};
    if (steps[event.key] && !control) move(Math.max(event.key === 'PageUp' ? 0 : -1, at.row + steps[event.key][0]),
      at.column + steps[event.key][1], event.shiftKey);
    else if (event.key === 'Home') control ? move(0, 0, event.shiftKey) : move(at.row, 0);
    else if (event.key === 'End') control ? move(list.length - 1, columns.length, event.shiftKey)
      : move(at.row, columns.length + ticks);
    else if (event.key === 'Enter' && !control) {
      if (at.row < 0) head.children[at.column]?.click();
      else if (list[at.row]) open?.(list[at.row]);
    } else if (event.key === ' ' && select && list[at.row]) toggle(at.row);
    else if (event.key === 'a' && control && select) selectAll();
    else return;
    event.preventDefault();
  });
  body.addEventListener('click', (event) => {
    const row = event.target.closest('.grid-row');
    if (!row || event.target.closest('a, button')) return;
    const index = Number(row.dataset.index);
    const column = [...row.children].indexOf(event.target.closest('.cell'));
    if (select && column === 0) { move(index, 0, event.shiftKey); if (!event.shiftKey) toggle(index); } else {
      if (getSelection()?.toString()) return;
      move(index, Math.max(0, column), event.shiftKey && Boolean(select));
      if (!event.shiftKey) open?.(list[index]);
    }
  });
  new ResizeObserver(() => { fix(); soon(); }).observe(element);
  layout();

  return {
    element, selected,
    rows(rows, whole = true) {
      list = rows;
      complete = whole;
      if (at.row >= list.length) at.row = Math.max(0, list.length - 1);
      if (live) soon(); else draw();
    },
    columns(value) { columns = value; layout(); },
    sorted(name, direction) { order = {key: name, direction}; layout(); },
    current: () => list[at.row],
    show(index) { move(index, at.column); },
    focus() { element.focus({preventScroll: true}); },
    draw() { for (const row of drawn.values()) row.value = undefined; draw(); },
    clear() { selected.clear(); select?.(selected); draw(); },
    all: () => list,
    height,
  };
}
