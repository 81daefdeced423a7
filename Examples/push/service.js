// The calls of a Fanfare service that the example makes (docs/http-api.md).

export class ServiceError extends Error {
  constructor(answer) {
    super(answer.reason ?? 'the service gave no reason');
    this.code = answer.serverErrorCode;
  }
}

export class Service {
  constructor({url, container, environment, apiToken}) {
    this.url = url;
    this.scope = `${container}/${environment}`;
    this.headers = {'X-Apple-CloudKit-API-Token': apiToken};
  }

  async fetch(family, path, {body, query = {}, signal} = {}) {
    const address = new URL(`${this.url}/${family}/1/${this.scope}/${path}`);
    address.search = new URLSearchParams(query);
    const response = await fetch(address, {
      method: body === undefined ? 'GET' : 'POST', headers: this.headers, signal,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok) throw new ServiceError(await response.json());
    return response;
  }

  async call(family, path, options) {
    return (await this.fetch(family, path, options)).json();
  }

  /// Signs in by name, as a service for development allows.
  async signIn(user) {
    const {ckWebAuthToken} = await this.call('auth', 'signin', {body: {user}});
    this.headers.Authorization = `Bearer ${ckWebAuthToken}`;
  }

  device(path, body, query) {
    return this.call('device', path, {body, query});
  }

  /// Saves a record in the public database. The device `clientId` gets no notification of it.
  async save(record, clientId) {
    const operations = [{operationType: 'forceUpdate', record}];
    const {records} = await this.call('database', 'public/records/modify', {body: {operations}, query: {clientId}});
    if (records[0].serverErrorCode) throw new ServiceError(records[0]);
  }

  async subscribe(subscriptions) {
    const operations = subscriptions.map((subscription) => ({operationType: 'create', subscription}));
    const answer = await this.call('database', 'public/subscriptions/modify', {body: {operations}});
    const failed = answer.subscriptions.find((item) => item.serverErrorCode);
    if (failed) throw new ServiceError(failed);
  }

  /// The notifications of a device after a token, without end: calls `receive` with each, and the token after it.
  async stream(deviceID, token, signal, receive) {
    const query = {deviceID, shouldFetchPushPayload: false, ...(token && {serverChangeToken: token})};
    const response = await this.fetch('device', 'notifications/stream', {query, signal});
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const {value, done} = await reader.read();
      if (done) return;
      const events = (text + value).split('\n\n');
      text = events.pop();
      for (const lines of events) {
        const event = Object.fromEntries(lines.split('\n').map((line) => line.split(/: ?(.*)/s, 2)));
        if (event.event === 'error') throw new ServiceError(JSON.parse(event.data));
        if (event.event === 'notification') receive(JSON.parse(event.data), event.id);
      }
    }
  }
}
