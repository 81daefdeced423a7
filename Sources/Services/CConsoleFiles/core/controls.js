// Controls with their labels, pauses between calls, and what is handed to the browser.
import './icons.js';
import {h} from './view.js';

/** A field with its label above. `note` is a node or text below. */
export function labelled(label, control, note) {
  return h('label', {class: 'labelled'}, h('span', {class: 'label'}, label), control, note
    && h('span', {class: 'note'}, note));
}

/** A choice of one among `options`: texts, or pairs of value and text. */
export function choice(options, value, properties) {
  const control = h('select', properties, options.map((option) => {
    const [key, text] = Array.isArray(option) ? option : [option, option];
    return h('option', {value: key}, text);
  }));
  if (value !== undefined) control.value = value;
  return control;
}

/** Calls `action` once `pause` milliseconds after the last call. */
export function later(pause, action) {
  let timer;
  return (...values) => { clearTimeout(timer); timer = setTimeout(action, pause, ...values); };
}

/** Calls `action` at most once a frame. */
export function eachFrame(action) {
  let waits = false;
  return () => {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => { waits = false; action(); });
  };
}

/** Keeps a text for the user's clipboard; answers whether the browser allowed it. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = h('textarea', {class: 'away', 'aria-hidden': 'true', value: text});
    const parent = document.querySelector('dialog[open]') ?? document.body;
    const before = document.activeElement;
    parent.append(field);
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    before?.focus();
    return done;
  }
}

/** Hands a file to the browser, which saves it. */
export function download(name, blob) {
  const address = URL.createObjectURL(blob);
  const link = h('a', {href: address, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
