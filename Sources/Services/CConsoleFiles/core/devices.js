// The devices of the first steps and of the playground: a laptop and a phone of the user's own.
import {device} from './api.js';

/** The first of the user's devices that is called so: `phone`, `alice-phone`, `phone-5db16e`. */
export const called = (devices, kind) => devices.find((one) => new RegExp(`(^|[-_ ])${kind}([-_ ]|$)`).test(one.deviceID))?.deviceID;

/**
 * The ID of a device of the user's that is called `kind`; it is registered if there is none, as `alice-phone`. IDs are unique in
 * a container: where another user has that one, it has the beginning of the user's record name. `as` is another user than the
 * tab's.
 */
export async function ownDevice(kind, {name, userRecordName}, as) {
  const {devices} = await device('devices/list', undefined, {as});
  const found = called(devices, kind);
  if (found) return found;
  const register = async (deviceID) => {
    await device('devices/register', {deviceID, name: `My ${kind}`, platform: 'console'}, {as});
    return deviceID;
  };
  try {
    if (/^[A-Za-z0-9.]{1,24}$/.test(name)) return await register(`${name}-${kind}`);
  } catch (error) {
    if (error.code !== 'ACCESS_DENIED') throw error;
  }
  return register(`${kind}-${userRecordName.slice(1, 7)}`);
}
