// Audits: runs that recompute every expected notification and compare it with journals and feeds.
import {operate} from '../core/api.js';
import {download, labelled} from '../core/controls.js';
import {curl} from '../core/curl.js';
import {dialog} from '../core/dialog.js';
import {spot} from '../core/explain.js';
import {signIn} from '../core/frame.js';
import {act, facts} from '../core/operate.js';
import {panel} from '../core/panel.js';
import {amend, here, to} from '../core/router.js';
import {has} from '../core/session.js';
import {badge, emptyBox, load} from '../core/states.js';
import {counted, grouped, marked, plain, time, user} from '../core/text.js';
import {button, fill, h, icon, skeleton} from '../core/view.js';

const every = 1000;
const shownMost = 500;
const running = (one) => one.state === 'running';
const differences = (one) => one.result?.differences ?? 0;

function stateOf(one) {
  if (running(one)) return badge('… running', 'accent');
  if (one.state === 'failed') return badge('✕ failed', 'bad');
  if (one.state === 'lost') return badge('✕ ended with its process', 'bad');
  if (differences(one)) return badge(`✕ ${counted(differences(one), 'difference')}`, 'bad');
  return one.state === 'stopped' ? badge('stopped') : badge('✓ no difference', 'good');
}

function progress(one) {
  if (!running(one)) return undefined;
  const bar = h('progress', {class: 'progress', max: '1', 'aria-label': 'Progress'});
  if (one.progress !== undefined) bar.value = one.progress;
  return bar;
}

const said = ({result}) => result && `${counted(result.changes, 'change')} call for ${counted(result.expected, 'notification')}; `
  + `${counted(result.feeds, 'feed')} and the journals of ${counted(result.users, 'user')} have ${grouped(result.entries)} entries`;

/** What an audit says beside its sentence: what is still on its way, and what is not kept any more. */
const besides = ({result}) => [result?.behind > 0 && h('p', {class: 'note'},
  `${grouped(result.behind)} deliveries are still on their way.`),
  result?.since && h('p', {class: 'note'}, 'Changes before ', time(result.since), ' are not all kept.')];

function finding(one) {
  return h('li', null, badge(`✕ ${plain(one.kind, 30)}`, 'bad'), h('div', {class: 'grow'}, h('p', null, marked(one.detail ?? '', 1000)),
    h('p', {class: 'note'}, user(one.userRecordName), ' ', one.deviceID && [marked(one.deviceID, 60), ' '],
      spot({...one, partition: undefined}) ?? marked(one.topic ?? '', 80)),
    one.explain && h('p', {class: 'note'}, marked(one.explain, 1000))),
  has(['explain']) && one.change !== undefined && one.subscriptionID !== undefined
    && h('a', {class: 'button', href: to('explain', [], {change: one.change, subscription: one.subscriptionID,
      user: one.userRecordName})}, icon('explain'), 'Why?'));
}

/** Asks for the range of an audit, and starts it. */
async function start() {
  const from = h('input', {type: 'datetime-local', step: '1'});
  const until = h('input', {type: 'datetime-local', step: '1'});
  const devices = h('input', {autocomplete: 'off', spellcheck: 'false', placeholder: 'all'});
  const utc = (field) => field.value && new Date(`${field.value}Z`).toISOString().replace('.000', '');
  let made;
  await dialog({title: 'New audit',
    body: [h('p', {class: 'quiet'},
      'It reads the log beside the running system, changes nothing, and looks twice before it says that something is missing.'),
    h('div', {class: 'pair'}, labelled('Changes from, UTC', from, 'empty: all that are kept'), labelled('to', until)),
    labelled('Devices', devices, 'IDs, separated by commas')],
    actions: [{text: 'Cancel'}, {text: 'Start', kind: 'main', act: async () => {
      made = await operate('audits/start', {...(from.value && {from: utc(from)}), ...(until.value && {to: utc(until)}),
        ...(devices.value.trim() && {devices: devices.value.split(/[,\s]+/).filter(Boolean)})});
    }}]});
  return made;
}

/** Opens the page. */
export function open(view) {
  const off = view.barred();
  const {signal} = view;
  const list = h('section', {class: 'card'}, skeleton(3));
  let timer;
  signal.addEventListener('abort', () => clearTimeout(timer));
  const begin = async () => { const made = !off && await start(); if (made) { await redraw(); show(made.auditID); } };
  const starter = (kind) => button('New audit', {icon: 'run', kind, disabled: Boolean(off), title: off}, begin);

  async function stop(auditID, refresh) {
    if (await act(view, {title: 'Stop this audit?', text: 'What it found so far stays.', yes: 'Stop', path: 'audits/stop',
      body: () => ({auditID}), done: 'Stopped.'})) { refresh(); redraw(); }
  }

  async function show(auditID) {
    const body = h('div', {class: 'stack'}, skeleton(3));
    const own = panel({title: 'Audit', content: body,
      closed: () => { if (here().query.open === auditID && !signal.aborted) amend({open: undefined}); }});
    amend({open: auditID});
    const refresh = () => load(body, async () => {
      const {audit, findings = [], findingsLeftOut: more = 0} = await operate('audits/lookup', {auditID}, {signal});
      if (!own.isOpen()) return;
      const save = () => download(`audit-${auditID.replace(/[^\w-]/g, '')}.jsonl`,
        new Blob([[...findings, audit].map((one) => JSON.stringify(one)).join('\n')], {type: 'application/json'}));
      const count = findings.length + more;
      fill(body, h('div', {class: 'row'}, stateOf(audit), running(audit)
        ? button('Stop', {icon: 'close', disabled: Boolean(off), title: off}, () => stop(auditID, refresh))
        : button('Export', {icon: 'down'}, save)), progress(audit),
      facts([['started', time(audit.started, true)], ['ended', audit.ended && time(audit.ended, true)],
        ['by', audit.operator && marked(audit.operator, 60)], ['from', audit.from && marked(audit.from, 40)],
        ['to', audit.to && marked(audit.to, 40)],
        ['devices', audit.devices?.length ? marked(audit.devices.join(', '), 200) : undefined],
        ['reason', audit.reason && marked(audit.reason, 500)]]),
      said(audit) && h('p', null, said(audit), '.'), besides(audit),
      h('h3', null, count ? counted(count, 'difference') : running(audit) ? 'Nothing found so far' : 'No difference'),
      findings.length > 0 && h('ul', {class: 'list findings'}, findings.slice(0, shownMost).map(finding)),
      count > Math.min(findings.length, shownMost) && h('p', {class: 'note'},
        `${grouped(count - Math.min(findings.length, shownMost))} more are not shown.`));
      if (running(audit)) setTimeout(() => own.isOpen() && !signal.aborted && refresh(), every);
    }, {signal, signIn: () => signIn('operator')});
    await refresh();
  }

  function row(one) {
    const link = h('a', {href: to('audit', [], {open: one.auditID}), onclick: (event) => { event.preventDefault(); show(one.auditID); }},
      h('b', null, time(one.started)));
    return h('li', null, icon('audit'), h('div', {class: 'grow'}, h('div', {class: 'row'}, link, stateOf(one)), progress(one),
      h('p', {class: 'note'}, said(one) ?? (running(one) ? 'reading the log' : marked(one.reason ?? '', 200)))),
    one.operator && h('span', {class: 'quiet'}, marked(one.operator, 40)));
  }

  async function redraw() {
    clearTimeout(timer);
    await load(list, async () => {
      const {audits} = await operate('audits/list', {}, {signal});
      if (signal.aborted) return;
      fill(list, audits.length ? h('ul', {class: 'list'}, audits.map(row))
        : emptyBox('No audit was run yet. One recomputes which notifications were due, and says what is lost, doubled, out of order or '
          + 'made up.', {actions: [starter('main')], curl: curl('operator', 'audits/start', {})}));
      if (audits.some(running)) timer = setTimeout(() => !document.hidden && redraw(), every);
    }, {signal, signIn: () => signIn('operator')});
  }

  fill(view.root, h('div', {class: 'page-head'}, view.title('Audit'), starter('main'),
    button('', {icon: 'refresh', label: 'Read again'}, () => redraw())), list);
  view.keys({n: ['new audit', begin]});
  redraw();
  if (view.route.query.open) show(view.route.query.open);
}
