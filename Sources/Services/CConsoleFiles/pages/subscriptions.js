// Subscriptions: mine in each database, made with a dry run while typing.
import {database, item} from '../core/api.js';
import {curl} from '../core/curl.js';
import {json} from '../core/code.js';
import {confirm, copied, dialog, menu, note} from '../core/dialog.js';
import {dryRun} from '../core/dryrun.js';
import {filterRows} from '../core/filter.js';
import {signIn} from '../core/frame.js';
import {panel} from '../core/panel.js';
import {grid} from '../core/grid.js';
import {zoneText} from '../core/records.js';
import {amend, go, here, to} from '../core/router.js';
import {has, operator} from '../core/session.js';
import {badge, emptyBox, errorBox, load} from '../core/states.js';
import {texts} from '../core/texts-subscriptions.js';
import {knownFields, knownTypes} from '../core/types.js';
import {absent, counted, marked, plain, time} from '../core/text.js';
import {button, fill, h} from '../core/view.js';
import {choice, labelled, later} from '../core/controls.js';

const scopes = ['public', 'private', 'shared'];

/** What a subscription watches, as a text. */
function condition(one) {
  if (one.subscriptionType === 'query') return one.query.predicate
    || (one.query.filterBy?.length
    ? one.query.filterBy.map((part) =>
    `${part.fieldName ?? part.systemFieldName} ${part.comparator} ${JSON.stringify(part.fieldValue?.value)}`).join(' AND ')
      : texts.allRecords);
  return one.subscriptionType === 'zone' ? texts.zone(zoneText(one.zoneID)) : texts.allCustomZones;
}

/** Opens the page. */
export function open(view) {
  view.root.classList.add('full');
  let all = [];
  const place = h('div', {class: 'page full'});
  const off = view.locked();
  const table = grid({label: texts.subscriptions3, key: (row) => `${row.database} ${row.subscriptionID}`, open: show, columns: [
    {key: 'id', title: texts.subscription2, width: 150, draw: (row) => marked(row.subscriptionID, 80)},
      {key: 'database', title: texts.database2, width: 88, grow: 0, draw: (row) => row.database},
    {key: 'type', title: texts.type2, width: 120, draw: (row) => marked(row.query?.recordType ?? row.recordType ?? row.subscriptionType,
      60)},
      {key: 'condition', title: texts.condition2, width: 220, grow: 2, code: true, draw: (row) => marked(condition(row), 200)},
    {key: 'fires', title: texts.firesOn2, width: 150, draw: (row) => row.firesOn?.join(', ') ?? texts.anyChange},
      {key: 'alert', title: texts.alert, width: 140, draw: (row) => row.notificationInfo.alertBody
      ? marked(row.notificationInfo.alertBody, 80) : absent()}]});
  fill(view.root, h('div', {class: 'page-head'}, view.title(texts.subscriptions3), operator() && has(['subscriptions/list'])
    && h('a', {class: 'button', href: to('subscriptions', ['all'])}, texts.allUsers),
      button(texts.newSubscription2, {icon: 'plus', kind: 'main', disabled: Boolean(off), title: off}, () => create({})),
    button('', {icon: 'more', label: texts.more},
      (event) => menu(event.currentTarget,
      [{text: texts.copyAllAs, icon: 'copy', act: () => copied(JSON.stringify(all.map(given), null, 2),
      texts.subscriptions2(all.length))},
      {text: texts.copyTheList, icon: 'copy', act: () => copied(curl('database', 'public/subscriptions/list', {}),
      texts.aCurlLine)}])), button('', {icon: 'refresh', label: texts.readAgain}, read)), place);

  async function read() {
    await load(place, async () => {
      const lists = await Promise.all(scopes.map((scope) => database(scope, 'subscriptions/list', {},
        {signal: view.signal})));
      all = lists.flatMap(({subscriptions}, at) => subscriptions.map((one) => ({...one, database: scopes[at]})));
      if (!all.length) return fill(place,
        emptyBox(texts.youHaveNo,
          {actions: [button(texts.newSubscription2, {kind: 'main', icon: 'plus', disabled: Boolean(off)}, () => create({}))],
          curl: curl('database', 'public/subscriptions/list', {})}));
      fill(place, table.element, h('div', {class: 'under-grid', role: 'status'}, counted(all.length, texts.subscription)));
      table.rows(all);
      const wanted = here().query.open;
      if (wanted) { const found = all.find((one) => one.subscriptionID === wanted); if (found) show(found); }
    }, {signal: view.signal, signIn: () => signIn('user')});
  }

  const given = ({database: scope, ...one}) => ({database: scope, ...one});

  function show(row) {
    amend({open: row.subscriptionID});
    const {database: scope, ...one} = row;
    panel({title: marked(row.subscriptionID, 60), closed: () => { if (!view.signal.aborted) amend({open: undefined}); },
      actions: [button(texts.editText, {disabled: Boolean(off), title: off}, () => editText(row)),
      button('', {icon: 'trash', label: texts.deleteTheSubscription2, disabled: Boolean(off)}, () => remove(row))],
      key: {Delete: [texts.deleteTheSubscription, () => { if (!off) remove(row); }],
      y: [texts.copyTheSubscription, () => copied(JSON.stringify(one), texts.theSubscription)]}, content: [
      h('dl', {class: 'facts'}, h('dt', null, texts.condition), h('dd', {class: 'code'}, marked(condition(row), 2000)),
        h('dt', null, texts.database), h('dd', null, scope), h('dt', null, texts.kind), h('dd', null, row.subscriptionType),
        row.query && [h('dt', null, texts.recordTypeWord),
          h('dd', null, h('a', {href: to('records', [scope, row.query.recordType], {where: row.query.predicate})},
          marked(row.query.recordType, 80)))], h('dt', null, texts.firesOn),
          h('dd', null, row.firesOn?.join(', ') ?? texts.anyChange, row.firesOnce && [' ', badge(texts.once, 'warn')]),
        h('dt', null, texts.zoneWord), h('dd', null, row.zoneID ? zoneText(row.zoneID) || texts.defaultZone : texts.allZones),
          row.startingFrom && [h('dt', null, texts.begins), h('dd', null, time(row.startingFrom))]),
      h('h3', null, texts.whatANotification), json(one.notificationInfo, 'notificationInfo'),
        h('div', {class: 'row'},
        button(texts.testIt, {icon: 'run'},
        (event) => dryRun(scope, one, event.currentTarget.parentElement.nextElementSibling))),
        h('div', {class: 'stack', role: 'status'}), h('details', null, h('summary', null, texts.asJson),
        json(one, texts.theSubscriptionAs))]});
  }

  async function editText(row) {
    const {database: scope, ...one} = row;
    const body = h('input', {value: one.notificationInfo.alertBody ?? '', autofocus: true});
    const badgeBox = h('input', {type: 'checkbox', checked: Boolean(one.notificationInfo.shouldBadge)});
    const yes = await dialog({title: texts.whatItsNotifications,
      body: [labelled(texts.alert, body), h('label', {class: 'check'}, badgeBox, texts.addsOneTo),
      h('p', {class: 'quiet'}, texts.theConditionOf)],
      actions: [{text: texts.cancel}, {text: texts.save, kind: 'main', value: true, act: async () => {
      const info = {...one.notificationInfo, alertBody: body.value || undefined, shouldBadge: badgeBox.checked};
      const {subscriptions: [answer]} = await database(scope, 'subscriptions/modify',
        {operations: [{operationType: 'update', subscription: {...one, startingFrom: undefined, notificationInfo: info}}]});
      item(answer);
    }}]});
    if (yes) { await read(); note(texts.saved); }
  }

  async function remove(row) {
    const {database: scope, ...one} = row;
    if (!await confirm({title: texts.deleteAsk(plain(row.subscriptionID, 60)),
      text: texts.noDeviceIs, yes: texts.deleteText, danger: true,
      name: here().environment === 'production' ? row.subscriptionID : undefined})) return;
    try {
      item((await database(scope, 'subscriptions/modify',
        {operations: [{operationType: 'delete', subscription: {subscriptionID: row.subscriptionID}}]})).subscriptions[0]);
      note(texts.deleted2(plain(row.subscriptionID, 40)),
        {action: {text: texts.undo,
        act: async () => { try { item((await database(scope, 'subscriptions/modify',
        {operations: [{operationType: 'create', subscription: {...one, startingFrom: undefined}}]})).subscriptions[0]);
        } catch (error) { note(error.message, {kind: 'bad'}); } read(); }}});
      amend({open: undefined});
      go(to('subscriptions'));
      read();
    } catch (error) { note(`${error.code}: ${error.message}`, {kind: 'bad', seconds: 12}); }
  }

  /** The panel that makes a subscription, with a dry run 300 ms after the last key. */
  function create({database: scope = 'public', type = '', where = ''}) {
    if (off) return;
    const scopeField = choice(scopes, scope, {onchange: adapt});
    const kind = choice([['query', texts.recordsThatSatisfy], ['zone', texts.anyChangeInA],
      ['database', texts.anyChangeIn]], 'query', {onchange: adapt});
    const id = h('input', {placeholder: texts.madeByThe, autocomplete: 'off', spellcheck: 'false',
      oninput: () => soon()});
    const typeField = h('input', {value: type, list: 'types-known', placeholder: texts.artwork, autocomplete: 'off',
      spellcheck: 'false', oninput: () => soon()});
    const predicate = h('textarea', {value: where, rows: '2', placeholder: texts.year1900, spellcheck: 'false',
      oninput: () => soon()});
    const zone = h('input', {placeholder: texts.nameOfThe, autocomplete: 'off', oninput: () => soon()});
    const fires = ['create', 'update', 'delete', 'enter',
      'leave'].map((name) =>
      [name, h('input', {type: 'checkbox', checked: name === 'create' || name === 'update', onchange: () => soon()})]);
    const once = h('input', {type: 'checkbox'});
    const alert = h('input', {placeholder: texts.aTextThat});
    const fieldsOf = h('input', {placeholder: texts.titleYear, autocomplete: 'off'});
    const badgeBox = h('input', {type: 'checkbox', checked: true});
    const past = h('input', {placeholder: texts.now, autocomplete: 'off'});
    const dry = h('div', {class: 'stack', role: 'status'});
    const wrong = h('div');
    const queryPart = h('div', {class: 'stack'}, labelled(texts.recordType, typeField),
      h('datalist', {id: 'types-known'}, knownTypes(scope).map((name) => h('option', {value: name}))),
      labelled(texts.predicate, predicate, texts.emptyForAll),
      button(texts.filterByRows, {},
        async () => { const made = await filterRows(knownFields(scopeField.value, typeField.value));
        if (made) { predicate.value = made.where; predicate.dataset.args = made.args ?? ''; soon(); } }),
      h('fieldset', {class: 'checks'}, h('legend', null, texts.firesOn2),
        fires.map(([name, box]) => h('label', {class: 'check'}, box, name))),
        h('label', {class: 'check'}, once, texts.onceItIs));
    const zonePart = labelled(texts.zone2, zone);
    const own = panel({title: texts.newSubscription2,
      dirty: () => Boolean(typeField.value !== type || predicate.value !== where || alert.value),
      key: {'Ctrl Enter': [texts.saveWord, save]},
      actions: [button(texts.save, {kind: 'main', 'aria-label': texts.saveCtrlEnter}, save)],
      content: [labelled(texts.database2, scopeField), labelled(texts.watches, kind), queryPart, zonePart, h('h3', null, texts.dryRun),
        dry, h('h3', null, texts.notification), labelled(texts.alert, alert),
        labelled(texts.fieldsThatIt, fieldsOf),
        h('label', {class: 'check'}, badgeBox, texts.addsOneTo),
        h('details', null, h('summary', null, texts.more), h('div', {class: 'stack'}, labelled(texts.subscriptionId, id),
          labelled(texts.beginsAt, past,
          texts.nowOrA))), wrong]});
    (type ? predicate : typeField).focus();

    function build() {
      const info = {...(alert.value && {alertBody: alert.value}), shouldBadge: badgeBox.checked,
        ...(fieldsOf.value.trim() && kind.value === 'query'
        && {additionalFields: fieldsOf.value.split(',').map((name) => name.trim()).filter(Boolean)})};
      const from = past.value.trim() && past.value.trim() !== 'now'
        ? {startingFrom: Date.parse(past.value.trim().replace(' ', 'T')) || past.value.trim()} : {};
      const base = {...(id.value.trim() && {subscriptionID: id.value.trim()}), subscriptionType: kind.value,
        notificationInfo: info, ...from};
      if (kind.value === 'zone') return {...base, zoneID: {zoneName: zone.value.trim()}};
      if (kind.value === 'database') return base;
      const args = predicate.value.includes('%@') && predicate.dataset.args
        ? {predicateArguments: JSON.parse(predicate.dataset.args)} : {};
      return {...base, firesOn: fires.filter(([, box]) => box.checked).map(([name]) => name),
        ...(once.checked && {firesOnce: true}),
        query: {recordType: typeField.value.trim(),
        ...(predicate.value.trim() && {predicate: predicate.value.trim(), ...args})}};
    }

    function adapt() {
      queryPart.hidden = kind.value !== 'query';
      zonePart.hidden = kind.value !== 'zone';
      soon();
    }
    const soon = later(300, () => dryRun(scopeField.value, build(), dry, predicate.value));
    adapt();

    async function save() {
      try {
        const made = item((await database(scopeField.value, 'subscriptions/modify',
          {operations: [{operationType: 'create', subscription: build()}]})).subscriptions[0]);
        own.end();
        note(texts.isSubscribedChanges(plain(made.subscriptionID, 40)));
        go(to('subscriptions', [], {open: made.subscriptionID}));
        read();
      } catch (error) { fill(wrong, errorBox(error, save)); wrong.scrollIntoView({block: 'nearest'}); }
    }
  }

  view.keys({n: [texts.newSubscription, () => create({})]});
  read().then(() => { if (view.route.query.new) { const {database: scope, type, where} = view.route.query;
    amend({new: undefined, database: undefined, type: undefined, where: undefined});
    create({database: scope, type, where}); } });
}
