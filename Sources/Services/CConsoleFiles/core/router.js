// Addresses: `#/CONTAINER/ENVIRONMENT/PAGE/PARTS?QUERY`. The address is the state of a page.

const decode = (text) => { try { return decodeURIComponent(text); } catch { return text; } };

/** Reads an address: `{container, environment, page, parts, query}`; query values are texts. */
export function parse(hash) {
  const [path, search = ''] = hash.replace(/^#?\/?/, '').split(/\?(.*)/s);
  const [container = '', environment = '', page = '', ...parts] = path.split('/').map(decode);
  const query = Object.fromEntries(search.split('&').filter(Boolean).map((pair) => pair.split(/=(.*)/s,
    2).map((text) => decode((text ?? '').replaceAll('+', ' ')))));
  return {container, environment, page: page || 'overview', parts, query};
}

/** Writes an address; absent and empty values of the query are left out. */
export function format({container, environment, page, parts = [], query = {}}) {
  const path = [container, environment, ...(page && page !== 'overview' ? [page, ...parts]
    : [])].map(encodeURIComponent).join('/');
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== ''
    && value !== false);
  const search = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value === true ? 1 : value)}`).join('&');
  return `#/${path}${search ? '?' : ''}${search}`;
}

let current = '';

/** The address that is shown: while a page is left, still its own, so that its requests keep their scope. */
export const here = () => parse(current || location.hash);

/** The address of a page in the scope that is shown. */
export function to(page, parts = [], query = {}) {
  const {container, environment} = here();
  return format({container, environment, page, parts, query});
}

let handler = () => {};
let asks = async () => true;

/**
 * Calls `draw` with each address from now on. `mayLeave` is asked before another page comes; it answers a promise of a yes
 * or a no.
 */
export function start(draw, mayLeave) {
  handler = draw;
  asks = mayLeave;
  window.addEventListener('hashchange', async () => {
    const wanted = location.hash;
    if (wanted === current) return;
    if (!await asks(parse(wanted))) return history.replaceState(null, '', current);
    current = location.hash;
    handler(here());
  });
  current = location.hash;
  handler(here());
}

/** Goes to an address, with an entry in the history. */
export function go(address) {
  if (location.hash === address) handler(here());
  else location.hash = address;
}

/**
 * Changes the query of the address that is shown; the entry in the history is replaced, and nothing is drawn. A page that
 * is left changes nothing.
 */
export function amend(changes) {
  const route = here();
  const address = format({...route, query: {...route.query, ...changes}});
  if (address === location.hash || location.hash !== current) return;
  history.replaceState(null, '', address);
  current = location.hash;
}
