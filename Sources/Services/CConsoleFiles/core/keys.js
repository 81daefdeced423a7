// The keyboard: keys of the frame and of the page that is shown. Single letters are off in fields, and can be off for good.
import {preference} from './session.js';

const sets = [];
let waiting;
let held = 0;

/** Turns single letters off until a promise is fulfilled or rejected: those that are typed belong to what is about to open. */
export function hold(promise) {
  held += 1;
  promise.catch(() => {}).then(() => { held -= 1; });
  return promise;
}

const isField = (element) => element?.closest?.('input, select, textarea, [contenteditable]');
const nameOf = (event) => {
  const main = event.key === ' ' ? 'Space' : event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return (event.ctrlKey || event.metaKey ? 'Ctrl ' : '') + (event.shiftKey && (main.length > 1 || /[a-z]/.test(main))
    ? 'Shift ' : '') + main;
};

/**
 * Adds keys: `{'n': ['new record', action]}`; the newest win. `Ctrl ` and `Shift ` come before a name, `g r` are two in a
 * row. Answers a function that takes them away.
 */
export function keys(set) {
  sets.push(set);
  return () => { const at = sets.indexOf(set); if (at >= 0) sets.splice(at, 1); };
}

/** All keys that are good now, with what they do. */
export function allKeys() {
  const found = new Map();
  for (const set of sets) for (const [name, [text]] of Object.entries(set)) found.set(name, text);
  return [...found];
}

/** Starts to listen. */
export function listen() {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    const name = waiting ? `g ${nameOf(event)}` : nameOf(event);
    const plain = !name.startsWith('Ctrl ') && event.key.length === 1;
    waiting = undefined;
    if (plain && (held || isField(event.target) || preference('letters') === 'off')) return;
    const modal = document.querySelector('dialog[open]');
    if (modal && !name.startsWith('Ctrl Enter')) return;
    if (name === 'g' && sets.some((set) => Object.keys(set).some((key) => key.startsWith('g ')))) {
      waiting = true;
      setTimeout(() => { waiting = undefined; }, 1500);
      return;
    }
    for (const set of sets.toReversed()) {
      if (!set[name] || set[name][2]?.() === false) continue;
      event.preventDefault();
      set[name][1](event);
      return;
    }
  });
}
