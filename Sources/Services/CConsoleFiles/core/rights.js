// Whether something may be changed, as sentences. The service is what protects.
import {operator, service, unlockedUntil} from './session.js';
import {texts} from './texts-parts.js';

/** Why nothing may be changed in a scope, as a sentence; undefined where it may. */
export function locked({environment}) {
  if (service.readOnly) return texts.thisConsoleIs;
  return environment === 'production' && !unlockedUntil() ? texts.productionIsLocked : undefined;
}

/** The role of the tab's operator in a scope: `operator`, `viewer`, or undefined. A right has a place, or holds everywhere. */
function roleIn(known, {container, environment}) {
  if (!known.rights) return known.role;
  const roles = known.rights.filter(({place}) => !place || place === container || place === `${container}/${environment}`)
    .map((one) => one.role);
  return roles.includes('operator') ? 'operator' : roles[0];
}

/** Why an operator's change would be refused now, as a sentence; undefined where it may go. */
export function barred(scope) {
  const known = operator();
  if (!known) return texts.noOperatorIs;
  const role = roleIn(known, scope);
  if (role === 'operator') return locked(scope);
  return role ? texts.isAViewer(known.name) : texts.hasNoRight(known.name);
}
