// Requests as lines of curl.
import {addressOf, base} from './api.js';

const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A line for a shell that sends the same; it names `$TOKEN` and `$USER_TOKEN` (`$OPERATOR_TOKEN`), no secret. */
export function curl(family, path, body, query) {
  const tokens = family === 'operator' ? `-H 'X-Fanfare-Console: 1' -H "Authorization: Bearer $OPERATOR_TOKEN"`
    : `-H "X-Apple-CloudKit-API-Token: $TOKEN" -H "Authorization: Bearer $USER_TOKEN"`;
  const given = body === undefined ? '' : ` -d ${quoted(JSON.stringify(body))}`;
  return `curl -s ${quoted(base + addressOf(family, path, query))} ${tokens}${given}`;
}
