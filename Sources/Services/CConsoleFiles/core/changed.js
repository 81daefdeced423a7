// The two sides of a change: the record before and after it.
import {texts} from './texts-parts.js';
import {h} from './view.js';
import {cell, size} from './values.js';

/** The fields of a side (`before`, `after`) of a change; those that the service left out are `{isLeftOut, bytes, type}`. */
export const sideOf = (change, side) => ({...change[side]?.fields, ...Object.fromEntries(Object.entries(change.leftOut?.[side]
  ?? {}).map(([name, one]) => [name, {isLeftOut: true, ...one}]))});

/** A field as a cell, or how much of it the service has left out. */
export const sideCell = (field) => field?.isLeftOut ? h('span', {class: 'quiet'}, texts.leftOut(size(field.bytes ?? 0))) : cell(field);
