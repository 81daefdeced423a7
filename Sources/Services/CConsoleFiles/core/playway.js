// The way of a change as it happens: read from the log by an operator's voice, step by step.
import {operate} from './api.js';
import {spot} from './explain.js';
import {has, operator} from './session.js';
import {marked} from './text.js';
import {texts} from './texts-play.js';
import {h} from './view.js';
import {ms} from './way.js';

const pauses = [15, 25, 40, 60, 100, 150, 200, 300, 400, 500];
const triesMax = 14;
const names = {outbox: texts.inTheLog, matched: texts.stage1, journal: texts.journal, feed: texts.feed};
const order = ['outbox', 'matched', 'journal', 'feed'];

/** Whether the way can be read: there is an operator, and the service has the routes. */
export const hasSteps = () => Boolean(operator()) && has(['changes/read', 'notifications/way']);

const pause = (tries) => new Promise((resolve) => { setTimeout(resolve, pauses[Math.min(tries, pauses.length - 1)]); });

/** The ends of the partitions of the public database's changes: where the next change comes. */
export async function ends() {
  const {partitions} = await operate('changes/read', {database: 'public', limit: 1});
  return partitions.map(({partition, end}) => ({partition, offset: end}));
}

/** The change of a record behind a place; undefined where none comes. */
async function find(from, recordName, stopped) {
  for (let tries = 0; tries < triesMax && !stopped(); tries += 1) {
    const {changes} = await operate('changes/read', {database: 'public', from, limit: 200});
    const row = changes.findLast((one) => one.recordName === recordName);
    if (row) return row;
    await pause(tries);
  }
  return undefined;
}

/**
 * Follows a change of a record from a place (`ends`) to the feeds of a user: `draw(steps)` is called with each new step, as
 * `notifications/way` has them. Ends when a feed has it, when it goes nowhere, or when `stopped()`.
 */
export async function follow({from, recordName, user, stopped, draw}) {
  const row = await find(from, recordName, stopped);
  if (!row || stopped()) return undefined;
  draw([{step: 'commit', time: row.committed}, {step: 'outbox', outcome: 'yes', time: row.time, topic: 'changes.public',
    partition: row.partition, offset: row.offset}]);
  for (let tries = 0; tries < triesMax && !stopped(); tries += 1) {
    const way = await operate('notifications/way', {change: row.sequence, user}).catch(() => undefined);
    if (stopped()) return undefined;
    if (way) {
      draw(way.steps);
      if (way.steps.some((one) => one.step === 'feed' && one.outcome === 'yes' && one.time)) break;
    }
    await pause(tries);
  }
  return row.sequence;
}

/** The steps as chips: what is known is lit, with its place and its time since the commit; the others wait. */
export function chips(steps) {
  const first = steps.find((one) => one.step === 'commit')?.time;
  return order.flatMap((name) => {
    const known = steps.filter((one) => one.step === name && one.outcome === 'yes' && one.time);
    if (!known.length) return [h('li', {class: 'quiet'}, names[name])];
    // A feed is the journal, so that its device says more than its place.
    return known.map((one) => h('li', {class: 'good'}, h('b', null, name === 'feed' ? marked(one.deviceID, 60) : spot(one)
      ?? names[name]),
      one.time > first && h('span', {class: 'quiet'}, ` ${ms(one.time - first)}`)));
  });
}
