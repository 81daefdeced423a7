// The subscriptions of all users: whose, in which database, on what, at which cost.
import {json} from '../core/code.js';
import {panel} from '../core/panel.js';
import {act, facts, listing} from '../core/operate.js';
import {to} from '../core/router.js';
import {has} from '../core/session.js';
import {grouped, marked, plain, user} from '../core/text.js';
import {button, h, icon} from '../core/view.js';

const typeOf = ({subscription}) => subscription.query?.recordType ?? subscription.recordType;
const condition = ({subscription}) => subscription.query?.predicate ?? (subscription.query?.filterBy?.length
  ? JSON.stringify(subscription.query.filterBy)
  : subscription.zoneID ? `zone ${subscription.zoneID.zoneName}` : subscription.subscriptionType === 'database' ? 'the whole database'
    : 'every record');
const fires = ({subscription}) => (subscription.firesOn ?? []).join(', ') || 'all changes';

/** Opens the page. */
export function open(view) {
  const off = view.barred() ?? (has(['subscriptions/remove']) ? undefined : 'This build removes no subscription of others here.');
  function show(one) {
    const {subscriptionID} = one.subscription;
    const remove = async () => {
      const answer = await act(view, {title: `Remove ${plain(subscriptionID, 60)}?`,
        text: 'It notifies no more. What it notified of stays in the feeds. Its owner’s app may make it again.', yes: 'Remove',
        danger: true, name: subscriptionID,
        path: 'subscriptions/remove', body: () => ({user: one.userRecordName, database: one.database, subscriptionID}),
          done: 'Removed.'});
      if (answer) { pane.end(); list.redraw(); }
    };
    const pane = panel({title: marked(subscriptionID, 80),
      content: [facts([['owner', h('a', {href: to('users', [], {open: one.userRecordName})}, user(one.userRecordName))],
      ['database', one.database], ['kind', one.subscription.subscriptionType], ['type', typeOf(one) && marked(typeOf(one), 80)],
      ['condition', h('code', null, marked(condition(one), 2000))], ['fires on', fires(one)],
        ['cost', `${grouped(one.cost)} of 10 000`]]),
        h('div', {class: 'row'}, has(['explain'])
        && h('a', {class: 'button', href: to('explain', [], {subscription: subscriptionID, user: one.userRecordName,
        database: one.database})}, icon('explain'), 'Why?'),
      button('Remove …', {icon: 'trash', kind: 'danger', disabled: Boolean(off), title: off}, remove)),
        json(one.subscription, 'the subscription')]});
  }
  const wanted = view.route.query.user;
  const list = listing(view, {title: 'Subscriptions of all users', noun: 'subscriptions', path: 'subscriptions/list', pages: wanted
    ? undefined : 'after', limit: 50, body: () => wanted ? {user: wanted} : {}, items: (answer) => answer.subscriptions,
    key: (one) => `${one.userRecordName} ${one.database} ${one.subscription.subscriptionID}`, open: show,
    actions: [h('a', {class: 'button', href: to('subscriptions')}, 'Mine alone')], empty: {text: 'Nobody has a subscription.'},
    columns: [{key: 'id', title: 'subscription', width: 140, grow: 1.2, draw: (one) => marked(one.subscription.subscriptionID, 80)},
      {key: 'owner', title: 'owner', width: 130, draw: (one) => user(one.userRecordName)}, {key: 'database', title: 'database', width: 90,
      grow: 0, draw: (one) => one.database},
      {key: 'type', title: 'type', width: 110, draw: (one) => typeOf(one) ? marked(typeOf(one), 60) : '–'},
        {key: 'condition', title: 'condition', width: 200, grow: 2, code: true, draw: (one) => marked(condition(one), 200)},
        {key: 'fires', title: 'fires on', width: 120, draw: fires}, {key: 'cost', title: 'cost', width: 80, grow: 0, align: 'right',
        draw: (one) => grouped(one.cost)}]});
}
