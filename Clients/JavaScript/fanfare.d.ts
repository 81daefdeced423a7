// The types of fanfare.js. `scripts/javascript` compares the names with the module's.

/** A value of a field; an INT64 that a number does not hold exactly is a bigint. */
export type FieldValue = string | number | bigint | Date | ArrayBuffer | ArrayBufferView | Blob | Reference | Location |
  Asset | null | FieldValue[];

export interface Field {
  value?: FieldValue;
  type?: string;
  isEncrypted?: boolean;
}

export interface Reference {
  recordName: string;
  action?: 'NONE' | 'DELETE_SELF' | 'VALIDATE';
  zoneID?: ZoneID;
}

export interface Location {
  latitude: number;
  longitude: number;
  [member: string]: unknown;
}

export interface Asset {
  fileChecksum: string;
  size: number;
  downloadURL?: string;
  receipt?: string;
  referenceChecksum?: string;
  wrappingKey?: string;
}

export interface ZoneID {
  zoneName: string;
  ownerRecordName?: string;
  zoneType?: string;
}

/** A zone ID, the name of a zone of one's own, or an object with a zoneID. */
export type ZoneLike = string | ZoneID | { zoneID: ZoneID };

export interface Stamp {
  timestamp: number;
  userRecordName: string;
  deviceID: string;
}

/** A record to save: fields may be plain values. */
export interface RecordToSave {
  recordType?: string;
  recordName?: string;
  recordChangeTag?: string;
  fields?: { [name: string]: Field | FieldValue };
  parent?: { recordName: string } | null;
  share?: { recordName: string } | null;
  forRecord?: { recordName: string; recordChangeTag?: string };
  publicPermission?: 'NONE' | 'READ_ONLY' | 'READ_WRITE';
  participants?: unknown[];
  [member: string]: unknown;
}

/** A record of an answer. */
export interface Record {
  recordName: string;
  recordType: string;
  recordChangeTag: string;
  fields: { [name: string]: Field };
  created: Stamp;
  modified: Stamp;
  deleted: boolean;
  zoneID: ZoneID;
  parent?: { recordName: string };
  share?: { recordName: string };
  shortGUID?: string;
  [member: string]: unknown;
}

export type RecordLike = string | { recordName?: string; recordChangeTag?: string };

export interface Filter {
  /** `NEAR` if it is absent and there is a distance. */
  comparator?: string;
  fieldName?: string;
  systemFieldName?: string;
  fieldValue: Field | FieldValue;
  distance?: number;
}

export interface Sort {
  fieldName?: string;
  systemFieldName?: string;
  ascending?: boolean;
  relativeLocation?: Location;
}

export interface Query {
  recordType: string;
  filterBy?: Filter | Filter[];
  sortBy?: Sort | Sort[];
  predicate?: string;
  predicateArguments?: unknown[];
}

export interface RecordOptions {
  zoneID?: ZoneLike;
  desiredKeys?: string[];
  numbersAsStrings?: boolean;
  valueBytesMax?: number;
}

export interface QueryOptions extends RecordOptions {
  zoneWide?: boolean;
  resultsLimit?: number;
  continuationMarker?: string;
}

export interface ModifyOptions {
  zoneID?: ZoneLike;
  atomic?: boolean;
  limits?: 'webServices' | 'framework';
}

export interface Subscription {
  subscriptionID?: string;
  subscriptionType: string;
  zoneID?: ZoneLike;
  zoneWide?: boolean;
  query?: Query;
  firesOn?: ('create' | 'update' | 'delete' | 'enter' | 'leave')[];
  firesOnce?: boolean;
  changedKeys?: string[];
  recordType?: string;
  startingFrom?: 'now' | number | string;
  notificationInfo?: { deliveryPolicy?: DeliveryPolicy; [member: string]: unknown };
  [member: string]: unknown;
}

/** The time at which notifications reach a person (docs/policies.md). */
export interface DeliveryPolicy {
  grouping?: 'everyChange' | 'latestPerRecord' | 'digest';
  windowSeconds?: number;
  count?: number;
  quietHours?: { from: string; to: string };
  hourlyMax?: number;
  shapesFeed?: boolean;
}

/** The policies that a user chose for a device. */
export interface DevicePolicies {
  clock: { from: number; utcOffsetMinutes: number }[];
  deliveryPolicy?: DeliveryPolicy;
  subscriptions: { databaseScope: string; subscriptionID: string; deliveryPolicy: DeliveryPolicy }[];
}

/** A code of docs/error-codes.md in `serverErrorCode`, or one of this library in `ckErrorCode` alone. */
export class CKError extends Error {
  constructor(members: { [member: string]: unknown });
  ckErrorCode: string;
  serverErrorCode?: string;
  reason: string;
  uuid?: string;
  /** Seconds. */
  retryAfter?: number;
  redirectURL?: string;
  recordName?: string;
  subscriptionID?: string;
  zoneID?: ZoneID;
  limit?: { name: string; value: number; of: string };
  isCKError: true;
  isServerError: boolean;
  isError: true;
}

/** CloudKit JS's constants of codes: `CKError.NOT_FOUND` is `'NOT_FOUND'`. */
export namespace CKError {
  const ACCESS_DENIED: string, ATOMIC_ERROR: string, AUTH_PERSIST_ERROR: string, AUTHENTICATION_FAILED: string,
    AUTHENTICATION_REQUIRED: string, BAD_REQUEST: string, CONFIGURATION_ERROR: string, CONFLICT: string,
    EXISTS: string, INTERNAL_ERROR: string, INVALID_ARGUMENTS: string, NETWORK_ERROR: string, NOT_FOUND: string,
    QUOTA_EXCEEDED: string, SERVICE_UNAVAILABLE: string, SHARE_UI_TIMEOUT: string, SIGN_IN_FAILED: string,
    THROTTLED: string, TRY_AGAIN_LATER: string, UNEXPECTED_SERVER_RESPONSE: string, UNIQUE_FIELD_ERROR: string,
    UNKNOWN_ERROR: string, VALIDATING_REFERENCE_ERROR: string, ZONE_NOT_FOUND: string;
}

/** Items that were done, and errors of those that were not. */
export class Response<Kind extends string = string, Item = unknown> {
  constructor(kind: string, answer: object, request?: object, type?: string);
  errors: CKError[];
  hasErrors: boolean;
  moreComing?: boolean;
  continuationMarker?: string;
  syncToken?: string;
  readonly request: unknown;
  get isResponse(): true;
  /** True for the answer to a query, too. */
  get isRecordsResponse(): boolean;
  get isQueryResponse(): boolean;
  get isRecordZonesResponse(): boolean;
  get isRecordZoneChangesResponse(): boolean;
  get isDatabaseChangesResponse(): boolean;
  get isSubscriptionsResponse(): boolean;
  get isUserIdentitiesResponse(): boolean;
  get isRecordInfosResponse(): boolean;
  toString(): string;
}

export type Items<Kind extends string, Item> = Response<Kind, Item> & { [kind in Kind]: Item[] };
export type RecordsResponse = Items<'records', Record> & { numbersAsStrings?: boolean };
/** It has what the query asked for, too. */
export type QueryResponse = RecordsResponse & {
  query: Query;
  zoneID?: ZoneID;
  zoneWide?: boolean;
  desiredKeys?: string[];
  resultsLimit?: number;
};
export type ZonesResponse = Items<'zones', Zone>;
export type DatabaseChangesResponse = ZonesResponse & { resultsLimit?: number };
export type SubscriptionsResponse = Items<'subscriptions', Subscription>;

export interface Zone {
  zoneID: ZoneID;
  syncToken?: string;
  atomic?: boolean;
  deleted?: boolean;
  [member: string]: unknown;
}

export interface ZoneChanges {
  zoneID: ZoneID;
  records: Record[];
  syncToken: string;
  moreComing: boolean;
}

export interface UserIdentity {
  userRecordName: string;
  nameComponents?: { givenName?: string; familyName?: string; [member: string]: unknown };
  emailAddress?: string;
  isDiscoverable?: boolean;
  [member: string]: unknown;
}

export interface LookupInfo {
  emailAddress?: string;
  phoneNumber?: string;
  userRecordName?: string;
}

export class Notification {
  constructor(members: { [member: string]: unknown });
  get isQueryNotification(): boolean;
  get isRecordZoneNotification(): boolean;
  toString(): string;
}

/** CloudKit JS's constants, with the values that notifications have here. */
export namespace Notification {
  const NOTIFICATION_TYPE_QUERY: 'query', NOTIFICATION_TYPE_RECORD_ZONE: 'recordZone',
    QUERY_NOTIFICATION_REASON_RECORD_CREATED: 'recordCreated',
    QUERY_NOTIFICATION_REASON_RECORD_UPDATED: 'recordUpdated',
    QUERY_NOTIFICATION_REASON_RECORD_DELETED: 'recordDeleted';
}

export class QueryNotification extends Notification {
  constructor(members: { [member: string]: unknown });
  get isPublicDatabase(): boolean;
}

export class RecordZoneNotification extends Notification {
  constructor(members: { [member: string]: unknown });
}

/** The members that the service gives. */
export interface Notification {
  notificationID: string;
  containerIdentifier: string;
  notificationType: 'query' | 'recordZone' | 'database' | 'readNotification' | 'omitted';
  subscriptionID?: string;
  queryNotificationReason?: 'recordCreated' | 'recordUpdated' | 'recordDeleted';
  recordName?: string;
  recordType?: string;
  recordFields?: { [name: string]: Field };
  zoneID?: ZoneID;
  databaseScope?: 'public' | 'private' | 'shared';
  alertBody?: string;
  title?: string;
  badge?: number;
  changed: number;
  [member: string]: unknown;
}

export interface NotificationsOptions {
  /** The `serverChangeToken` of the last notification that the app has handled. */
  after?: string;
  signal?: AbortSignal;
}

export type ReceivedNotification = Notification & { serverChangeToken: string };

export class RecordsBatchBuilder {
  constructor(database: Database, options?: ModifyOptions);
  create(records: RecordToSave | RecordToSave[], options?: { desiredKeys?: string[] }): this;
  update(records: RecordToSave | RecordToSave[], options?: { desiredKeys?: string[] }): this;
  forceUpdate(records: RecordToSave | RecordToSave[], options?: { desiredKeys?: string[] }): this;
  replace(records: RecordToSave | RecordToSave[], options?: { desiredKeys?: string[] }): this;
  forceReplace(records: RecordToSave | RecordToSave[], options?: { desiredKeys?: string[] }): this;
  createOrUpdate(records: RecordToSave | RecordToSave[], options?: { desiredKeys?: string[] }): this;
  delete(records: RecordLike | RecordLike[], options?: object): this;
  forceDelete(records: RecordLike | RecordLike[], options?: object): this;
  commit(): Promise<RecordsResponse>;
}

export class Database {
  constructor(container: Container, databaseScope: 'PUBLIC' | 'PRIVATE' | 'SHARED');
  readonly container: Container;
  readonly containerIdentifier: string;
  readonly databaseScope: 'PUBLIC' | 'PRIVATE' | 'SHARED';
  readonly isPublic: boolean;
  readonly isPrivate: boolean;
  readonly isShared: boolean;
  toString(): string;
  performQuery(query: Query | RecordsResponse, options?: QueryOptions): Promise<QueryResponse>;
  fetchRecords(records: RecordLike | RecordLike[], options?: RecordOptions): Promise<RecordsResponse>;
  saveRecords(records: RecordToSave | RecordToSave[], options?: ModifyOptions): Promise<RecordsResponse>;
  deleteRecords(records: RecordLike | RecordLike[], options?: ModifyOptions): Promise<RecordsResponse>;
  newRecordsBatch(options?: ModifyOptions): RecordsBatchBuilder;
  /** Of CloudKit JS 1, as all names for one item: the record names its zone. */
  saveRecord(record: RecordToSave & { zoneID?: ZoneLike }, options?: ModifyOptions): Promise<RecordsResponse>;
  deleteRecord(record: string | { recordName?: string; recordChangeTag?: string; zoneID?: ZoneLike },
    options?: ModifyOptions): Promise<RecordsResponse>;
  fetchRecord(record: string | { recordName?: string; zoneID?: ZoneLike }, options?: RecordOptions):
    Promise<RecordsResponse>;
  modifyRecords(operations: { operationType: string; record: RecordToSave }[], options?: ModifyOptions):
    Promise<RecordsResponse>;
  uploadAsset(asset: { recordName?: string; recordType: string; fieldName: string; file: Blob; zoneID?: ZoneLike }):
    Promise<Asset>;
  rereferenceAssets(assets: { recordName: string; fieldName: string } | { recordName: string; fieldName: string }[]):
    Promise<Items<'assets', Asset>>;
  fetchAllRecordZones(): Promise<ZonesResponse>;
  fetchRecordZones(zones: ZoneLike | ZoneLike[]): Promise<ZonesResponse>;
  saveRecordZones(zones: ZoneLike | ZoneLike[]): Promise<ZonesResponse>;
  deleteRecordZones(zones: ZoneLike | ZoneLike[]): Promise<ZonesResponse>;
  fetchRecordZone(zone: ZoneLike): Promise<ZonesResponse>;
  saveRecordZone(zone: ZoneLike): Promise<ZonesResponse>;
  deleteRecordZone(zone: ZoneLike): Promise<ZonesResponse>;
  fetchDatabaseChanges(after?: { syncToken?: string; resultsLimit?: number } | ZonesResponse):
    Promise<DatabaseChangesResponse>;
  fetchRecordZoneChanges(zones: unknown, options?: RecordOptions & { resultsLimit?: number; reverse?: boolean;
    desiredRecordTypes?: string[] }): Promise<Items<'zones', ZoneChanges>>;
  fetchChangedRecords(options: RecordOptions & { syncToken?: string; resultsLimit?: number }): Promise<RecordsResponse>;
  fetchChangedRecords(zone: string | ZoneID, options?: RecordOptions & { syncToken?: string; resultsLimit?: number }):
    Promise<RecordsResponse>;
  fetchChangedRecordZones(options?: { syncToken?: string; resultsLimit?: number }): Promise<ZonesResponse>;
  fetchChanges(after?: { syncToken?: string; resultsLimit?: number } | ZonesResponse):
    Promise<DatabaseChangesResponse>;
  fetchZoneChanges(zones: unknown, options?: RecordOptions): Promise<Items<'zones', ZoneChanges>>;
  fetchAllSubscriptions(): Promise<SubscriptionsResponse>;
  fetchSubscriptions(subscriptions: string | Subscription | (string | Subscription)[]): Promise<SubscriptionsResponse>;
  saveSubscriptions(subscriptions: Subscription | Subscription[]): Promise<SubscriptionsResponse>;
  updateSubscriptions(subscriptions: Subscription | Subscription[]): Promise<SubscriptionsResponse>;
  deleteSubscriptions(subscriptions: string | Subscription | (string | Subscription)[]): Promise<SubscriptionsResponse>;
  fetchSubscription(subscription: string | { subscriptionID: string }): Promise<SubscriptionsResponse>;
  saveSubscription(subscription: Subscription): Promise<SubscriptionsResponse>;
  deleteSubscription(subscription: string | { subscriptionID: string }): Promise<SubscriptionsResponse>;
  /** Always fails, with `NOT_SUPPORTED`. */
  shareWithUI(): Promise<never>;
  notifications(options?: NotificationsOptions): AsyncGenerator<ReceivedNotification, void>;
  liveQuery(query: Query, options?: LiveQueryOptions): LiveQuery;
}

export interface LiveQueryOptions {
  zoneID?: ZoneLike;
  zoneWide?: boolean;
  desiredKeys?: string[];
  resultsLimit?: number;
}

export type LiveQueryChange =
  | { type: 'result'; records: Record[] }
  | { type: 'enter' | 'update' | 'leave'; record: Record; records: Record[] }
  | { type: 'error'; error: CKError };

export class LiveQuery implements AsyncIterable<LiveQueryChange> {
  constructor(database: Database, query: Query, options?: LiveQueryOptions);
  /** Resolves with the first result. */
  ready: Promise<Record[]>;
  isReady?: boolean;
  error?: CKError;
  get records(): Record[];
  subscribe(listener: (change: LiveQueryChange) => void): () => void;
  settled(): Promise<void>;
  close(options?: { forget?: boolean }): Promise<void>;
  [Symbol.asyncIterator](): AsyncGenerator<LiveQueryChange, void>;
}

/** A change that is kept until it is sent. */
export interface QueuedChange {
  id: string;
  scope: 'PUBLIC' | 'PRIVATE' | 'SHARED';
  kind: 'save' | 'delete';
  record: RecordToSave;
  zoneID?: ZoneID;
  /** Of one that was refused. */
  error?: { ckErrorCode: string; reason: string };
}

export interface Conflict {
  kind: 'save' | 'delete';
  mine: RecordToSave;
  /** Undefined where somebody has deleted the record. */
  theirs?: Record;
  database: Database;
  zoneID?: ZoneID;
  error: CKError;
}

export type Decision = 'mine' | 'theirs' | RecordToSave | undefined | void;

export interface QueueOptions {
  onConflict?(conflict: Conflict): Decision | Promise<Decision>;
  onError?(refused: { entries: QueuedChange[]; record: RecordToSave; error: CKError }): void | Promise<void>;
}

export class OfflineQueue {
  constructor(container: Container, options?: QueueOptions);
  save(database: Database, record: RecordToSave, options?: { zoneID?: ZoneLike }): Promise<QueuedChange>;
  delete(database: Database, record: RecordLike, options?: { zoneID?: ZoneLike }): Promise<QueuedChange>;
  pending(): Promise<QueuedChange[]>;
  failed(): Promise<QueuedChange[]>;
  retry(change: { id: string }): Promise<void>;
  discard(change: { id: string }): Promise<void>;
  subscribe(listener: () => void): () => void;
  flush(): Promise<void>;
  close(): void;
}

/** The place of values that last: `set` and `delete` resolve when they are stored. */
export interface Storage {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
  /** In the order of the names. */
  keys(prefix: string): Promise<string[]>;
}

export class MemoryStorage implements Storage {
  constructor();
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
  keys(prefix: string): Promise<string[]>;
}

export interface AuthTokenStore {
  getToken(containerIdentifier: string): string | null | Promise<string | null>;
  putToken(containerIdentifier: string, authToken: string | null): void | Promise<void>;
}

export interface ContainerConfiguration {
  containerIdentifier: string;
  environment?: 'development' | 'production';
  /** The address of the service; absent where fanfare.js came from it. */
  url?: string;
  /** A name for this device; absent: one that is made once and kept. */
  deviceID?: string;
  apnsEnvironment?: string;
  apiTokenAuth?: {
    apiToken: string;
    persist?: boolean;
    signInButton?: { id?: string; text?: string; theme?: string };
    signOutButton?: { id?: string; text?: string; theme?: string };
  };
  /** Of CloudKit JS 1, without `apiTokenAuth`. */
  apiToken?: string;
  auth?: { persist?: boolean; [member: string]: unknown };
  /** For Node.js; the key in PEM. */
  serverToServerKeyAuth?: { keyID: string; privateKey?: string; privateKeyFile?: string };
}

export interface Configuration {
  containers: ContainerConfiguration | ContainerConfiguration[];
  services?: { fetch?: typeof fetch; storage?: Storage; authTokenStore?: AuthTokenStore; url?: string };
}

export interface RequestOptions {
  query?: { [name: string]: unknown };
  method?: string;
  signal?: AbortSignal;
  isChange?: boolean;
}

export class Container {
  constructor(configuration: ContainerConfiguration, services?: Configuration['services']);
  readonly containerIdentifier: string;
  readonly environment: string;
  readonly apnsEnvironment: string;
  readonly url: string;
  readonly storage: Storage;
  readonly publicCloudDatabase: Database;
  readonly privateCloudDatabase: Database;
  readonly sharedCloudDatabase: Database;
  readonly userRecordName?: string;
  readonly isRegisteredForNotifications: boolean;
  readonly liveQueries: Set<LiveQuery>;
  get storageName(): string;
  toString(): string;
  getDatabaseWithDatabaseScope(scope: 'PUBLIC' | 'PRIVATE' | 'SHARED'): Database;
  request(family: string, path: string, body?: unknown, options?: RequestOptions): Promise<any>;
  fetch(family: string, path: string, body?: unknown, options?: RequestOptions): Promise<globalThis.Response>;
  post(address: string, file: Blob): Promise<any>;
  setUpAuth(): Promise<UserIdentity | null>;
  whenUserSignsIn(): Promise<UserIdentity>;
  whenUserSignsOut(): Promise<void>;
  signIn(credentials: { idToken: string } | { user: string }): Promise<UserIdentity>;
  signOut(options?: { everywhere?: boolean }): Promise<void>;
  openSignIn(): void;
  fetchCurrentUserIdentity(): Promise<UserIdentity>;
  discoverUserIdentities(lookupInfos: LookupInfo | LookupInfo[]): Promise<Items<'users', UserIdentity>>;
  discoverAllUserIdentities(): Promise<Items<'users', UserIdentity>>;
  discoverUserIdentityWithEmailAddress(emailAddress: string): Promise<Items<'users', UserIdentity>>;
  discoverUserIdentityWithPhoneNumber(phoneNumber: string): Promise<Items<'users', UserIdentity>>;
  discoverUserIdentityWithUserRecordName(userRecordName: string): Promise<Items<'users', UserIdentity>>;
  /** Of CloudKit JS 1. */
  fetchUserInfo(): Promise<UserIdentity>;
  discoverAllContactUserInfos(): Promise<Items<'users', UserIdentity>>;
  discoverUserInfoWithEmailAddress(emailAddress: string): Promise<Items<'users', UserIdentity>>;
  discoverUserInfoWithUserRecordName(userRecordName: string): Promise<Items<'users', UserIdentity>>;
  setDiscoverable(isDiscoverable: boolean): Promise<UserIdentity>;
  fetchRecordInfos(shortGUIDs: string | object | (string | object)[]): Promise<Items<'results', any>>;
  acceptShares(shortGUIDs: string | object | (string | object)[]): Promise<Items<'results', any>>;
  feed(kind: 'device' | 'live'): Promise<unknown>;
  deviceID(): Promise<string>;
  registerForNotifications(): Promise<this>;
  unregisterForNotifications(): Promise<this>;
  addNotificationListener(listener: (notification: Notification) => void): void;
  removeNotificationListener(listener: (notification: Notification) => void): void;
  notifications(options?: NotificationsOptions & { where?(notification: Notification): boolean }):
    AsyncGenerator<ReceivedNotification, void>;
  markNotificationsRead(notificationIDs: string | string[]):
    Promise<Items<'notifications', { notificationID: string }>>;
  fetchBadge(): Promise<number>;
  setBadge(badgeValue: number): Promise<void>;
  subscribeToPush(registration: ServiceWorkerRegistration, options?: { contents?: 'full' | 'none'; silent?: boolean }):
    Promise<unknown>;
  unsubscribeFromPush(registration: ServiceWorkerRegistration): Promise<void>;
  /** Chooses the delivery policies of this browser's device; without any, those of subscriptions hold again. */
  setDeliveryPolicies(policies?: Partial<Omit<DevicePolicies, 'clock'>>): Promise<DevicePolicies>;
  fetchDeliveryPolicies(): Promise<DevicePolicies>;
  offlineQueue(options?: QueueOptions): OfflineQueue;
  /** Ends feeds, live queries and the queue, so that a program can end. */
  close(): void;
}

export function configure(configuration: Configuration): typeof CloudKit;
export function getDefaultContainer(): Container;
export function getAllContainers(): Container[];
export function getContainer(containerIdentifier: string): Container | undefined;

export const CloudKit: {
  configure: typeof configure;
  getDefaultContainer: typeof getDefaultContainer;
  getAllContainers: typeof getAllContainers;
  getContainer: typeof getContainer;
  CKError: typeof CKError;
  Container: typeof Container;
  Database: typeof Database;
  LiveQuery: typeof LiveQuery;
  MemoryStorage: typeof MemoryStorage;
  Notification: typeof Notification;
  OfflineQueue: typeof OfflineQueue;
  Promise: PromiseConstructor;
  QueryNotification: typeof QueryNotification;
  RecordsBatchBuilder: typeof RecordsBatchBuilder;
  RecordZoneNotification: typeof RecordZoneNotification;
  Response: typeof Response;
  /** The version of Fanfare. */
  VERSION: string;
  /** The same as VERSION. */
  BUILD_VERSION: string;
  CLOUDKIT_LOADED: 'cloudkitloaded';
  DEVELOPMENT_ENVIRONMENT: 'development';
  PRODUCTION_ENVIRONMENT: 'production';
  WS_API_VERSION: string;
  AppleIDButtonTheme: { [name: string]: string };
  DatabaseScope: { PUBLIC: 'PUBLIC'; PRIVATE: 'PRIVATE'; SHARED: 'SHARED' };
  ReferenceAction: { [name: string]: string };
  SubscriptionType: { QUERY: 'query'; RECORD_ZONE: 'zone'; DATABASE: 'database' };
  ShareParticipantAcceptanceStatus: { [name: string]: string };
  ShareParticipantPermission: { [name: string]: string };
  ShareParticipantType: { [name: string]: string };
  ShareRecordType: { [name: string]: string };
  QueryFilterComparator: { [name: string]: string };
};

export default CloudKit;

declare global {
  interface Window {
    CloudKit: typeof CloudKit;
  }
}
