// Drawings that the first page does without.
import {icons} from './view.js';

Object.assign(icons, {
  check: 'M3 8.5l3.5 3.5L13 4.5',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  plus: 'M8 3v10M3 8h10',
  up: 'M4 10l4-4 4 4',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  key: 'M4 8h8M8 4v8',
  pause: 'M5 3v10M11 3v10',
  run: 'M4 3l9 5-9 5z',
  trash: 'M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5l.5 9h6l.5-9',
  more: 'M3 8h.1M8 8h.1M13 8h.1',
});
