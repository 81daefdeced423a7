// Requests to the service, in the voice of the tab's user or operator: the endpoints that apps use.
import {here} from './router.js';
import {operator, renewUser, scopeOf, setOperator, userOf} from './session.js';
import {texts} from './texts.js';

/** The address of the service: the page's without `console/`. */
export const base = new URL('../', location.href.replace(/[?#].*/s, '')).href.replace(/\/$/, '');

/**
 * A request that failed: CloudKit's `code`, the service's `reason`, `request` (its ID), `status`, `retryAfter` in seconds,
 * `item` as answered.
 */
export class ServiceError extends Error {
  constructor(item, status, request) {
    super(item.reason ?? texts.theServiceGave);
    this.code = item.serverErrorCode ?? `HTTP ${status}`;
    this.status = status;
    this.request = item.uuid ?? request;
    this.retryAfter = Number(item.retryAfter ?? 0) || undefined;
    this.item = item;
  }
}

const hooks = {signIn: async () => false, offline: () => {}, online: () => {}};

/**
 * Sets what happens when a session has ended (`signIn(voice)` answers whether there is another), and when the service is
 * gone or back.
 */
export const connect = (given) => Object.assign(hooks, given);

/** The address of a request, without the service's own. */
export function addressOf(family, path, query) {
  if (path.startsWith('sessions')) return `/operator/1/${path}`;
  const {container, environment} = here();
  const search = new URLSearchParams(Object.entries(query ?? {}).filter(([, value]) => value !== undefined));
  return `/${family}/1/${encodeURIComponent(container)}/${encodeURIComponent(environment)}/${path}${search.size ? `?${search}` : ''}`;
}

/** The headers of a family's requests in the scope that is shown; `as` is another user than the tab's: `{token}`. */
export function headers(family, as) {
  if (family === 'operator') return {'X-Fanfare-Console': '1',
    ...(operator() && {Authorization: `Bearer ${operator().token}`})};
  const user = as ?? userOf(here());
  return {'X-Apple-CloudKit-API-Token': scopeOf(here())?.apiToken ?? '',
    ...(user?.token && {Authorization: `Bearer ${user.token}`})};
}

// One dialog for all requests whose session has ended; those that come later have the new session already.
const asks = {};
function again(voice, token) {
  const now = voice === 'operator' ? operator() : userOf(here());
  if (now && now.token !== token) return true;
  asks[voice] ??= hooks.signIn(voice).finally(() => { asks[voice] = undefined; });
  return asks[voice];
}

const ended = (error) => ['AUTHENTICATION_FAILED', 'AUTHENTICATION_REQUIRED'].includes(error.code);

/**
 * Sends a request in the scope that is shown, and answers the JSON. `family` is `database`, `device`, `auth` or `operator`;
 * without
 * `body` it is a GET. `as` is another user than the tab's. Throws `ServiceError`. Where the session has ended, it asks to
 * sign in and sends the request again.
 */
export async function call(family, path, body, {query, signal, as} = {}) {
  const scope = here();
  const voice = family === 'operator' ? 'operator' : 'user';
  let had;
  const send = async () => {
    had = voice === 'operator' ? operator() : userOf(scope);
    let response;
    try {
      response = await fetch(base + addressOf(family, path, query), {
        method: body === undefined ? 'GET' : 'POST', body: body === undefined ? undefined : JSON.stringify(body), signal,
          cache: 'no-store',
        // A sign-in with the token of a session that has ended would be refused.
        headers: {...headers(family, path === 'signin' ? {} : as), ...(body !== undefined && {'Content-Type': 'application/json'})}});
    } catch (error) {
      if (signal?.aborted) throw error;
      hooks.offline();
      throw new ServiceError({serverErrorCode: 'OFFLINE', reason: texts.theService}, 0);
    }
    hooks.online();
    const fresh = response.headers.get('X-Apple-CloudKit-Web-Auth-Token');
    // A late answer to a session that has been replaced renews nothing.
    if (fresh && !as && family !== 'auth' && userOf(scope)?.token === had?.token) renewUser(scope, fresh);
    const answer = await response.json().catch(() => ({reason: texts.theAnswer(response.status)}));
    if (!response.ok) throw new ServiceError(answer, response.status, response.headers.get('X-Apple-Request-UUID'));
    return answer;
  };
  try {
    return await send();
  } catch (error) {
    if (!ended(error) || as || family === 'auth' || path.startsWith('sessions') || !had) throw error;
    if (voice === 'operator') setOperator(null);
    if (!await again(voice, had.token)) throw error;
    return send();
  }
}

/** The item of an answer, or its error thrown. */
export function item(answer) {
  if (answer?.serverErrorCode) throw new ServiceError(answer, 200);
  return answer;
}

/** Sends to `database/…` with numbers as strings, both ways. */
export const database = (scope, path, body = {}, options) => call('database', `${scope}/${path}`,
  {...body, numbersAsStrings: true}, options);

/** Sends to `device/…`. */
export const device = (path, body, options) => call('device', path, body, options);

/** Sends to `operator/…`. */
export const operate = (path, body = {}, options) => call('operator', path, body, options);
