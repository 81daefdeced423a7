// Audits: runs that recompute every expected notification and compare it with journals and feeds.
import {curl, operate} from '../core/api.js';
import {dialog} from '../core/dialog.js';
import {panel, signIn} from '../core/frame.js';
import {act, facts} from '../core/operate.js';
import {amend, here, to} from '../core/router.js';
import {badge, emptyBox, load, skeleton} from '../core/states.js';
import {has} from '../core/session.js';
import {grouped, marked, time} from '../core/values.js';
import {button, download, fill, h, icon, labelled} from '../core/view.js';

const every = 1000;
const kinds = {lost: 'bad', doubled: 'bad', disorder: 'bad', invented: 'bad'};
const running = (one) => one.state === 'running';
const differences = (one) => one.result?.differences ?? 0;
const stateOf = (one) => running(one) ? badge('… running', 'accent') : one.state === 'failed' ? badge('✕ failed', 'bad')
  : one.state === 'stopped' ? badge('stopped') : differences(one) ? badge(`✕ ${grouped(differences(one))} differences`, 'bad')
  : badge('✓ no difference', 'good');

function progress(one) {
  if (!running(one)) return undefined;
  const bar = h('progress', {class: 'progress', max: '1', 'aria-label': 'Progress'});
  if (one.progress !== undefined) bar.value = one.progress;
  return bar;
}

const said = (one) => one.result
  && `${grouped(one.result.changes)} changes call for ${grouped(one.result.expected)} notifications; `
  + `${grouped(one.result.feeds)} feeds and the journals of ${grouped(one.result.users)} users have ${grouped(one.result.entries)} entries`;

function finding(one) {
  return h('li', null, badge(`✕ ${one.kind}`, kinds[one.kind] ?? 'warn'), h('div', {class: 'grow'}, h('p', null, marked(one.text, 1000)),
    one.explain && h('p', {class: 'note'}, marked(one.explain, 1000))),
    has(['explain']) && one.change !== undefined
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
    actions: [{text: 'Cancel'}, {text: 'Start', kind: 'main',
      act: async () => { made = await operate('audits/start', {...(from.value && {from: utc(from)}), ...(until.value && {to: utc(until)}),
      ...(devices.value.trim() && {devices: devices.value.split(/[,\s]+/).filter(Boolean)})}); }}]});
  return made;
}

/** Opens the page. */
export function open(view) {
  const off = view.barred();
  const list = h('section', {class: 'card'}, skeleton(3));
  let timer;
  let pane;
  view.signal.addEventListener('abort', () => clearTimeout(timer));
  const begin = async () => { if (off) return; const made = await start(); if (made) { await redraw(); show(made.auditID); } };
  const starter = (kind) => button('New audit', {icon: 'run', kind, disabled: Boolean(off), title: off}, begin);

  async function show(auditID) {
    const body = h('div', {class: 'stack'}, skeleton(3));
    pane = panel({title: 'Audit', content: body,
      closed: () => { if (here().query.open === auditID && !view.signal.aborted) amend({open: undefined}); }});
    const own = pane;
    amend({open: auditID});
    async function refresh() {
      await load(body, async () => {
        const {audit, findings = []} = await operate('audits/lookup', {auditID}, {signal: view.signal});
        if (!own.isOpen()) return;
        const save = () => download(`audit-${auditID.replace(/[^\w-]/g, '')}.jsonl`,
          new Blob([[audit, ...findings].map((one) => JSON.stringify(one)).join('\n')], {type: 'application/json'}));
        fill(body, h('div', {class: 'row'}, stateOf(audit), running(audit)
          ? button('Stop', {icon: 'close', disabled: Boolean(off), title: off},
          async () => { if (await act(view, {title: 'Stop this audit?', text: 'What it found so far stays.', yes: 'Stop',
          path: 'audits/stop', body: () => ({auditID}), done: 'Stopped.'})) { refresh(); redraw(); } }) : button('Export', {icon: 'down'},
          save)), progress(audit),
          facts([['started', time(audit.started, true)], ['ended', audit.ended && time(audit.ended, true)],
            ['by', audit.operator && marked(audit.operator, 60)], ['from', audit.from], ['to', audit.to],
            ['devices', audit.devices?.length ? marked(audit.devices.join(', '), 200) : undefined],
            ['reason', audit.reason && marked(audit.reason, 500)]]),
          said(audit) && h('p', null, said(audit), '.'), h('h3', null, findings.length ? `${grouped(findings.length)} differences`
            : running(audit) ? 'Nothing found so far' : 'No difference'), findings.length > 0 && h('ul', {class: 'list findings'},
            findings.slice(0, 500).map(finding)));
        if (running(audit)) setTimeout(() => own.isOpen() && !view.signal.aborted && refresh(), every);
      }, {signal: view.signal, signIn: () => signIn('operator')});
    }
    await refresh();
  }

  async function redraw() {
    clearTimeout(timer);
    await load(list, async () => {
      const {audits} = await operate('audits/list', {}, {signal: view.signal});
      if (view.signal.aborted) return;
      audits.sort((a, b) => b.started - a.started);
      fill(list, audits.length ? h('ul', {class: 'list'},
        audits.map((one) => h('li', null, icon('audit'),
        h('div', {class: 'grow'}, h('div', {class: 'row'},
        h('a', {href: to('audit', [], {open: one.auditID}), onclick: (event) => { event.preventDefault(); show(one.auditID); }},
        h('b', null, time(one.started))), stateOf(one)), progress(one),
        h('p', {class: 'note'}, said(one) ?? (running(one) ? 'reading the log' : marked(one.reason ?? '', 200)))), one.operator
        && h('span', {class: 'quiet'}, marked(one.operator, 40)))))
        : emptyBox('No audit was run yet. One recomputes what was to be notified, and says what is lost, doubled, out of order or made up.',
          {actions: [starter('main')], curl: curl('operator', 'audits/start', {})}));
      if (audits.some(running)) timer = setTimeout(() => !document.hidden && redraw(), every);
    }, {signal: view.signal, signIn: () => signIn('operator')});
  }

  fill(view.root, h('div', {class: 'page-head'}, view.title('Audit'), starter('main'), button('', {icon: 'refresh', label: 'Read again'},
    () => redraw())), list);
  view.keys({n: ['new audit', begin]});
  redraw();
  if (view.route.query.open) show(view.route.query.open);
}
