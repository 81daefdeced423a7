// A device's feed as a list in memory: history page by page, then live, none twice; read marks beside.
import {device} from './api.js';
import {follow} from './live.js';
import {texts} from './texts-feed.js';

const most = 10000;

/**
 * What a notification says, as a phone would show it: `{title, subtitle, body}`. Localised texts show their key with its
 * arguments.
 */
export function look(entry) {
  const text = (key) => {
    const found = entry[`${key}LocalizationKey`];
    const values = entry[`${key}LocalizationArgs`];
    return found && values?.length ? `${found} (${values.join(', ')})` : found;
  };
  return {title: text('title') ?? entry.title, subtitle: text('subtitle') ?? entry.subtitle, body: text('alert')
    ?? entry.alertBody};
}

/** What happened, in words. */
export function event(entry) {
  if (entry.notificationType === 'readNotification') return texts.readOnAnother;
  if (entry.notificationType === 'omitted') return texts.leftOut(entry.omittedCount);
  const words = {recordCreated: texts.created, recordUpdated: texts.updated, recordDeleted: texts.deleted, recordEntered: texts.entered,
    recordLeft: texts.left};
  return entry.notificationType === 'query' ? words[entry.queryNotificationReason] ?? entry.queryNotificationReason
    : texts.changed(entry.notificationType === 'recordZone' ? texts.zone : texts.database);
}

/**
 * Reads a device's feed after `after` (from the start without one), and follows it. `changed()` is called when there is
 * something new to draw, `state` as
 * `follow` has it. Answers `{entries, read, token, dropped, loading, pause(on), waiting, stop(), mark(ids)}`; `read` has
 * the IDs that are read.
 */
export function readFeed({deviceID, after, changed, state, fault, as}) {
  const own = {entries: [], read: new Set(), token: after, dropped: 0, loading: true, waiting: 0, paused: false};
  const held = [];
  let end = () => {};
  let stopped = false;

  function add(entries) {
    for (const entry of entries) {
      if (entry.notificationType === 'readNotification') own.read.add(entry.notificationID);
      own.entries.push(entry);
    }
    if (own.entries.length > most) { own.dropped += own.entries.length - most;
      own.entries.splice(0, own.entries.length - most); }
    changed();
  }

  function take(entries, token) {
    own.token = token;
    if (!own.paused) return add(entries);
    for (const entry of entries) held.push(entry);
    own.waiting = held.length;
    return changed();
  }

  own.pause = (on) => {
    own.paused = on;
    if (!on) add(held.splice(0));
    own.waiting = 0;
    changed();
  };
  own.stop = () => { stopped = true; end(); };
  own.mark = async (ids) => {
    for (let at = 0; at < ids.length; at += 200) {
      const {notifications} = await device('notifications/markRead', {deviceID, notificationIDs: ids.slice(at, at + 200)},
        {as});
      for (const one of notifications) if (!one.serverErrorCode) own.read.add(one.notificationID);
    }
    changed();
  };

  (async () => {
    try {
      for (;;) {
        const page = await device('notifications/changes', {deviceID, ...(own.token && {serverChangeToken: own.token})},
          {as});
        if (stopped) return;
        own.token = page.serverChangeToken;
        own.loading = page.moreComing;
        add(page.notifications);
        if (!page.moreComing) break;
      }
      end = follow({deviceID, after: own.token, receive: take, state, as});
    } catch (error) { own.loading = false; if (!stopped) fault(error); }
  })();
  return own;
}
