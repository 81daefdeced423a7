// The example of the first steps and of the playground: modern artworks, a laptop and a phone.

/** The subscription of the example. */
export const example = {subscriptionID: 'modern', subscriptionType: 'query', firesOn: ['create', 'update', 'delete'],
  query: {recordType: 'Artwork', predicate: 'year > 1900'},
  notificationInfo: {alertBody: 'A modern artwork', additionalFields: ['title', 'year'], shouldBadge: true}};

/** The first of the user's devices that is called so: `phone`, `alice-phone`, `phone-5db16e`. */
export const called = (devices, kind) => devices.find((one) => new RegExp(`(^|[-_ ])${kind}([-_ ]|$)`).test(one.deviceID))?.deviceID;
