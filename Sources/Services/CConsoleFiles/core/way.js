// The way of a notification as a time line: from the commit to the devices, each wait to scale, places as links.
import {sign, spot, stepName} from './explain.js';
import {marked, plain, time} from './text.js';
import {texts} from './texts-why.js';
import {h} from './view.js';

/** A span of milliseconds for people. */
export const ms = (value) => value < 1000 ? texts.ms(Number(value.toPrecision(3))) : value < 60000 ? `${(value / 1000).toFixed(2)} s`
  : value < 3600000 ? texts.min(Math.round(value / 60000)) : `${(value / 3600000).toFixed(1)} h`;

// What a step waited for.
const waits = {outbox: texts.theOutbox, matched: texts.stage1, journal: texts.stage2, feed: texts.stage2, push: texts.theSender,
  read: texts.aPerson};
// The step since which it waited.
const since = {outbox: 'commit', matched: 'outbox', journal: 'matched', feed: 'matched', push: 'journal', read: 'feed'};
// Steps that may come much later than the others: their bars would leave nothing of the others.
const late = new Set(['push', 'read', 'fetched']);

const older = {committed: 'commit', changes: 'outbox', deliveries: 'matched', journal: 'journal', feed: 'feed', sent: 'push'};

/** The steps of the member `way` of an explanation, as `notifications/way` has them. */
export const stepsOf = (way) => way.map((one) => ({...one.place, step: older[one.stage] ?? one.stage, time: one.time ?? one.sentAt,
  deviceID: one.deviceID, outcome: 'yes', text: one.readPast ? texts.theDeviceHas : ''}));

/** The milliseconds from the commit to the last feed (to the journal where there is none); undefined where one is not known. */
export function total(steps) {
  const first = steps.find((one) => one.step === 'commit')?.time;
  const ends = steps.filter((one) => (one.step === 'feed' || one.step === 'journal') && one.time).map((one) => one.time);
  return first && ends.length ? Math.max(...ends) - first : undefined;
}

/** The three waits of a way, in milliseconds: `{outbox, matched, journal}`; those that are not known are absent. */
export function waitsOf(steps) {
  const at = (name) => steps.find((one) => one.step === name && one.time)?.time;
  return Object.fromEntries(['outbox', 'matched', 'journal'].map((name) => [name, at(name) - at(since[name])])
    .filter(([, value]) => !Number.isNaN(value)));
}

function note(one) {
  const place = spot(one);
  const words = one.text && marked(one.text, 300);
  return h('p', {class: 'note'}, place, place && words && ' · ', words);
}

// Where nothing was to come, nothing is missing: a device that made the change, a push without an address, a read mark.
const outcomeOf = (one, when) => one.outcome === 'no' && (late.has(one.step) || one.madeTheChange) ? 'none'
  : one.outcome ?? (when ? 'yes' : 'unknown');

/** The time line of steps. One that came much later than the feeds is off the scale. */
export function trail(steps) {
  const times = steps.filter((one) => one.time && !late.has(one.step)).map((one) => one.time);
  const first = Math.min(...times);
  const length = Math.max(1, ...times.map((one) => one - first));
  const longest = Math.max(...Object.values(waitsOf(steps)), 0);
  // Older entries of the embedded log have the time of the commit, and some ways take no millisecond: no bar says anything.
  const flat = times.every((one) => one === first);
  const part = (at) => `${Math.max(0, Math.min(100, (at - first) / length * 100))}%`;
  return [flat && times.length > 1 && h('p', {class: 'note'}, texts.theEmbeddedLog), h('ol', {class: 'trail'}, steps.map((one) => {
    const start = since[one.step];
    const before = start && one.time && (steps.find((other) => other.step === start && other.time
      && (start !== 'feed' || other.deviceID === one.deviceID)) ?? steps.find((other) => other.step === start))?.time;
    const wait = before && !flat ? Math.max(0, one.time - before) : undefined;
    const off = one.time - first > length;
    const bar = one.time && !off && !flat
      && h('div', {class: `trail-bar ${wait !== undefined && wait === longest && wait > 0 ? 'longest' : ''}`,
      'aria-hidden': 'true'});
    if (bar) {
      bar.style.setProperty('--from', part(before ?? one.time));
      bar.style.setProperty('--to', part(one.time));
    }
    const when = one.time ?? one.notAfter;
    return h('li', {class: one.outcome === 'yes' ? '' : 'unlit'}, sign(outcomeOf(one, when)),
      h('div', {class: 'trail-name'}, h('b', null, stepName(one.step)), one.deviceID && h('span', {class: 'quiet'}, ' ',
        marked(one.deviceID, 60)), one.kind && h('span', {class: 'quiet'}, ` ${plain(one.kind, 30)}`), note(one)),
      h('div', {class: 'trail-scale'}, bar, off && h('span', {class: 'note'}, texts.later)),
      h('div', {class: 'trail-time'}, !when || (flat && one.time === first && one.step !== 'commit') ? h('span', {class: 'quiet'}, '–')
        : one.step === 'commit' ? time(when, true)
        : [h('b', null, `${one.time ? '+' : texts.byWord}${ms(Math.max(0, when - first))}`),
          wait !== undefined && h('p', {class: 'note'}, texts.forText(ms(wait), waits[one.step]))]));
  }))];
}
