// Elements, made from texts and nodes alone: nothing here parses markup.

const svgSpace = 'http' + '://www.w3.org/2000/svg';

const present = (children) => children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false);

function add(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'style'
      || ((name === 'href' || name === 'src') && !/^(#|blob:)/.test(value))) throw new Error(`${name}: refused`);
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked' || name === 'selected') element[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...present(children));
  return element;
}

/** Makes an element. Properties are attributes, or listeners (`onclick`); absent children are left out. */
export const h = (name, properties, ...children) => add(document.createElement(name), properties, children);

/** Makes an element of SVG, as `h` does for HTML. */
export const svg = (name, properties, ...children) => add(document.createElementNS(svgSpace, name), properties, children);

/** Gives an element other children, and returns it. */
export function fill(element, ...children) {
  element.replaceChildren(...present(children));
  return element;
}

/** The drawings by name, as paths of 16 by 16. */
export const icons = {
  overview: 'M2 8l6-5 6 5v6H9.5v-4h-3v4H2z',
  records: 'M2 3h12v10H2zM2 6.5h12M2 10h12M6 3v10',
  zones: 'M8 2l6 3-6 3-6-3zM2 8l6 3 6-3M2 11l6 3 6-3',
  sharing: 'M6 7.5a2.5 2.5 0 100-5 2.5 2.5 0 000 5zM1.5 13.5c0-3 2-4.5 4.5-4.5s4.5 1.5 4.5 4.5'
    + 'M11 7.5a2 2 0 10-1-3.8M12 9.2c1.6.5 2.6 2 2.6 4.3',
  schema: 'M5 2.5C3 2.5 4 7.2 2 8c2 .8 1 5.5 3 5.5M11 2.5c2 0 1 4.7 3 5.5-2 .8-1 5.5-3 5.5',
  subscriptions: 'M2.5 12h11l-1.5-2V7a4 4 0 00-8 0v3zM6.5 14h3',
  devices: 'M2 3h9v7H2zM1 13h7M10.5 6H14v8h-3.5z',
  feed: 'M2.5 3.5h11v9h-11zM2.5 9h3l1 1.5h3l1-1.5h3',
  play: 'M2 3h5v10H2zM9 3h5v10H9zM7 8h2',
  explain: 'M6 6a2 2 0 114 0c0 1.5-2 1.5-2 3.5M8 12.5v.1M8 15A7 7 0 108 1a7 7 0 000 14z',
  changes: 'M2 4h8M2 8h12M2 12h6M12 2.5v3',
  stages: 'M2 14V9M6 14V5M10 14V7M14 14V2',
  poison: 'M8 2l6.5 11.5h-13zM8 6.5V10M8 12v.1',
  audit: 'M7 12A5 5 0 107 2a5 5 0 000 10zM11 11l3.5 3.5M5 7l1.5 1.5L9.5 5',
  push: 'M14 2L7 9M14 2l-4.5 12L7 9 2 6.5z',
  log: 'M3 2h10v12H3zM5.5 5h5M5.5 8h5M5.5 11h3',
  users: 'M8 8a3 3 0 100-6 3 3 0 000 6zM2.5 14c0-3.5 2.5-5 5.5-5s5.5 1.5 5.5 5',
  credentials: 'M5 11a3 3 0 100-6 3 3 0 000 6zM8 8h6.5M12 8v3',
  actions: 'M8 15A7 7 0 108 1a7 7 0 000 14zM8 4v4l3 2',
  settings: 'M2 4h7M12 4h2M2 8h2M7 8h7M2 12h6M11 12h3M10.5 2.5v3M5.5 6.5v3M9.5 10.5v3',
  search: 'M7 12A5 5 0 107 2a5 5 0 000 10zM11 11l3.5 3.5',
  menu: 'M2 4h12M2 8h12M2 12h12',
  down: 'M4 6l4 4 4-4',
  bell: 'M2.5 12h11l-1.5-2V7a4 4 0 00-8 0v3zM6.5 14h3',
  refresh: 'M13 8a5 5 0 11-1.5-3.5M13 2v3h-3',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 015 0v2.5',
};

/** A drawing of 16 by 16 pixels, which screen readers leave out. */
export const icon = (name) => svg('svg', {class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': 'true', focusable: 'false'},
  svg('path', {d: icons[name] ?? ''}));

/** A button with a text, an icon or both. `label` names a button that has an icon alone. */
export function button(text, {icon: name, label, kind, ...properties}, action) {
  return h('button', {type: 'button', class: `button ${kind ?? ''}${!text && name ? ' bare' : ''}`, 'aria-label': label,
    title: label, onclick: action, ...properties},
    name && icon(name), text && h('span', null, text));
}

/** A skeleton of `lines` lines, for the first time alone. */
export const skeleton = (lines = 6) => h('div', {class: 'skeleton', 'aria-hidden': 'true'},
  Array.from({length: lines}, () => h('span')));

const sheets = new Map();

/** Loads a style sheet once; answers a promise that it is there. A sheet that cannot be had is no reason to wait. */
export function sheet(name) {
  if (!sheets.has(name)) {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = new URL(`../${name}`, import.meta.url).href;
    sheets.set(name, new Promise((resolve) => { link.onload = link.onerror = resolve; }));
    document.head.append(link);
  }
  return sheets.get(name);
}
