// Written by scripts/openapi from docs/openapi.yaml.
// swift-format-ignore-file

/// The document that is served at /openapi.yaml.
enum OpenAPIDocument {
    static let yaml: StaticString = #"""
# The contract of the public port. `scripts/openapi` puts it into the program, which serves it at /openapi.yaml;
# OpenAPITests hold it against the routes, and every HTTP test against requests and answers.
openapi: 3.1.0
info:
  title: Fanfare
  version: '1'
  summary: A record service in the form of CloudKit Web Services, with feeds of notifications.
  description: |-
    Every route of the public port. What holds for all of them:

    - Bodies are JSON objects whatever their Content-Type says: web pages send text/plain to spare a preflight.
    - Members and query items that stand nowhere here are ignored. A member that is null counts as absent, but for the
      value of a field, where it removes the field, and parent, where it removes the parent.
    - Answers have the members that stand here and no others.
    - What cannot be read is refused as a whole. What can be read and cannot be done fails its own item: an Error with the
      item's name in its place, in an answer with status 200.
    - Another path is 404 (NotFound), another method 405 (MethodNotAllowed) with Allow. A preflight (OPTIONS with Origin
      and Access-Control-Request-Method) is 204.
    - The API token and the web auth token may stand in headers instead of the query: X-Apple-CloudKit-API-Token, and
      X-Apple-CloudKit-Web-Auth-Token or Authorization with Bearer. Two that differ are 400.
    - Two refusals are the HTTP library's own and no JSON: 400 for a request line that cannot be read or a missing Host,
      431 for headers that are too large by far.
  license: {name: Apache 2.0, identifier: Apache-2.0}
servers:
  - {url: /, description: The address that served this document}
tags:
  - {name: records}
  - {name: changes, description: Feeds of what changed}
  - {name: zones}
  - {name: subscriptions}
  - {name: sharing}
  - {name: users}
  - {name: assets}
  - {name: devices}
  - {name: notifications, description: What CloudKit's REST never had}
  - {name: authentication}
  - {name: document}
paths:
  /database/1/{container}/{environment}/{database}/records/query:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/Database'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: queryRecords
      tags: [records]
      summary: Find records
      description: |-
        One zone, or all with zoneWide; a page at a time, repeated with the same query and the last page's
        continuationMarker until there is none.
      security:
        - {apiToken: []}
        - {apiToken: [], webAuthToken: []}
        - {serverKeyID: [], serverKeyDate: [], serverKeySignature: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/QueryRequest'}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/QueryAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/records/modify:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/Database'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: modifyRecords
      tags: [records]
      summary: Create, change and delete records
      description: |-
        In order, in one zone, with one commit. In custom zones all or nothing unless atomic is false.
      security:
        - {apiToken: [], webAuthToken: []}
        - {serverKeyID: [], serverKeyDate: [], serverKeySignature: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/ModifyRecordsRequest'}
      responses:
        '200':
          description: Done; what failed for one item stands in its place.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/RecordsAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/records/lookup:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/Database'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: lookUpRecords
      tags: [records]
      summary: Fetch records by name
      security:
        - {apiToken: []}
        - {apiToken: [], webAuthToken: []}
        - {serverKeyID: [], serverKeyDate: [], serverKeySignature: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/LookUpRecordsRequest'}
      responses:
        '200':
          description: Done; what failed for one item stands in its place.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/RecordsAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/records/changes:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/PrivateOrSharedDatabase'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: recordChanges
      tags: [changes]
      summary: What changed in one zone
      description: |-
        The older form of changes/zone.
      deprecated: true
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/RecordChangesRequest'}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/RecordChangesAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '410': {$ref: '#/components/responses/ChangeTokenExpired'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/records/resolve:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/PublicDatabase'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: resolveShares
      tags: [sharing]
      summary: What a short GUID stands for
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/ShortGUIDsRequest'}
      responses:
        '200':
          description: Done; what failed for one item stands in its place.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ShortGUIDsAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/records/accept:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/PublicDatabase'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: acceptShares
      tags: [sharing]
      summary: Become a participant of shares
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/ShortGUIDsRequest'}
      responses:
        '200':
          description: Done; what failed for one item stands in its place.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ShortGUIDsAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/changes/database:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/PrivateOrSharedDatabase'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: databaseChanges
      tags: [changes]
      summary: Which zones changed
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/DatabaseChangesRequest'}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/DatabaseChangesAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '410': {$ref: '#/components/responses/ChangeTokenExpired'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/changes/zone:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/PrivateOrSharedDatabase'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: zoneChanges
      tags: [changes]
      summary: What changed in zones
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/ZoneChangesRequest'}
      responses:
        '200':
          description: Done; what failed for one item stands in its place.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ZoneChangesAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/zones/list:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/Database'}
      - {$ref: '#/components/parameters/ClientID'}
    get:
      operationId: listZones
      tags: [zones]
      summary: All zones
      security:
        - {apiToken: []}
        - {apiToken: [], webAuthToken: []}
        - {serverKeyID: [], serverKeyDate: [], serverKeySignature: []}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ZonesAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
    post:
      operationId: postListZones
      tags: [zones]
      summary: All zones
      description: As GET; some clients post to all endpoints. Nothing of the body is looked at.
      security:
        - {apiToken: []}
        - {apiToken: [], webAuthToken: []}
        - {serverKeyID: [], serverKeyDate: [], serverKeySignature: []}
      requestBody:
        required: false
        content:
          application/json:
            schema: {type: object}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ZonesAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/zones/lookup:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/Database'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: lookUpZones
      tags: [zones]
      summary: Fetch zones by ID
      security:
        - {apiToken: []}
        - {apiToken: [], webAuthToken: []}
        - {serverKeyID: [], serverKeyDate: [], serverKeySignature: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/LookUpZonesRequest'}
      responses:
        '200':
          description: Done; what failed for one item stands in its place.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ZonesAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/zones/modify:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/PrivateDatabase'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: modifyZones
      tags: [zones]
      summary: Create and delete zones
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/ModifyZonesRequest'}
      responses:
        '200':
          description: Done; what failed for one item stands in its place.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ZonesAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/zones/changes:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/PrivateDatabase'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: metaChanges
      tags: [zones]
      summary: Which zones changed
      description: |-
        The older form of changes/database; its token is called metaSyncToken.
      deprecated: true
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/MetaChangesRequest'}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/MetaChangesAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '410': {$ref: '#/components/responses/ChangeTokenExpired'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/subscriptions/list:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/Database'}
      - {$ref: '#/components/parameters/ClientID'}
    get:
      operationId: listSubscriptions
      tags: [subscriptions]
      summary: All of the user's subscriptions
      security:
        - {apiToken: [], webAuthToken: []}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/SubscriptionsAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
    post:
      operationId: postListSubscriptions
      tags: [subscriptions]
      summary: All of the user's subscriptions
      description: As GET; some clients post to all endpoints. Nothing of the body is looked at.
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: false
        content:
          application/json:
            schema: {type: object}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/SubscriptionsAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/subscriptions/lookup:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/Database'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: lookUpSubscriptions
      tags: [subscriptions]
      summary: Fetch subscriptions by ID
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/LookUpSubscriptionsRequest'}
      responses:
        '200':
          description: Done; what failed for one item stands in its place.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/SubscriptionsAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/subscriptions/modify:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/Database'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: modifySubscriptions
      tags: [subscriptions]
      summary: Create, change and delete subscriptions
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/ModifySubscriptionsRequest'}
      responses:
        '200':
          description: Done; what failed for one item stands in its place.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/SubscriptionsAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/users/caller:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/PublicDatabase'}
      - {$ref: '#/components/parameters/ClientID'}
    get:
      operationId: callingUser
      tags: [users]
      summary: Who the caller is
      security:
        - {apiToken: [], webAuthToken: []}
        - {serverKeyID: [], serverKeyDate: [], serverKeySignature: []}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/User'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
    post:
      operationId: postCallingUser
      tags: [users]
      summary: Who the caller is
      description: As GET; some clients post to all endpoints. Nothing of the body is looked at.
      security:
        - {apiToken: [], webAuthToken: []}
        - {serverKeyID: [], serverKeyDate: [], serverKeySignature: []}
      requestBody:
        required: false
        content:
          application/json:
            schema: {type: object}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/User'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/users/current:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/PublicDatabase'}
      - {$ref: '#/components/parameters/ClientID'}
    get:
      operationId: currentUser
      tags: [users]
      summary: Who the caller is
      description: |-
        The older name of users/caller.
      deprecated: true
      security:
        - {apiToken: [], webAuthToken: []}
        - {serverKeyID: [], serverKeyDate: [], serverKeySignature: []}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/User'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
    post:
      operationId: postCurrentUser
      tags: [users]
      summary: Who the caller is
      description: |-
        The older name of users/caller.
      deprecated: true
      security:
        - {apiToken: [], webAuthToken: []}
        - {serverKeyID: [], serverKeyDate: [], serverKeySignature: []}
      requestBody:
        required: false
        content:
          application/json:
            schema: {type: object}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/User'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/users/discoverable:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/PublicDatabase'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: setDiscoverable
      tags: [users]
      summary: Say whether other users find the caller
      description: |-
        Nobody is found who has not said so.
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/DiscoverableRequest'}
      responses:
        '200':
          description: Done. The answer is that of users/caller.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/User'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/users/discover:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/PublicDatabase'}
      - {$ref: '#/components/parameters/ClientID'}
    get:
      operationId: discoverableUsers
      tags: [users]
      summary: Users who said that they may be found
      security:
        - {apiToken: [], webAuthToken: []}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/UsersAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
    post:
      operationId: discoverUsers
      tags: [users]
      summary: Users by what is known of them
      description: |-
        Those who are not found, or have not said that they may be, are left out.
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/DiscoverUsersRequest'}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/UsersAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/users/lookup/email:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/PublicDatabase'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: lookUpUsersByEmail
      tags: [users]
      summary: Users by address
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/LookUpUsersByEmailRequest'}
      responses:
        '200':
          description: Done; what failed for one item stands in its place.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/UsersAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/users/lookup/contacts:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/PublicDatabase'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: lookUpContacts
      tags: [users]
      deprecated: true
      summary: Users of an address book
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/LookUpContactsRequest'}
      responses:
        '200':
          description: Done; what failed for one item stands in its place.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/UsersAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/users/lookup/id:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/PublicDatabase'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: lookUpUsersByID
      tags: [users]
      summary: Users by record name
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/LookUpUsersByIDRequest'}
      responses:
        '200':
          description: Done; what failed for one item stands in its place.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/UsersAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/assets/upload:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/Database'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: requestUploads
      tags: [assets]
      summary: Addresses that take the bytes of assets
      security:
        - {apiToken: [], webAuthToken: []}
        - {serverKeyID: [], serverKeyDate: [], serverKeySignature: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/RequestUploadsRequest'}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/RequestUploadsAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/assets/rereference:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/Database'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: rereferenceAssets
      tags: [assets]
      summary: Uploaded assets, for use in other records
      security:
        - {apiToken: [], webAuthToken: []}
        - {serverKeyID: [], serverKeyDate: [], serverKeySignature: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/RereferenceAssetsRequest'}
      responses:
        '200':
          description: Done; what failed for one item stands in its place.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/RereferenceAssetsAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /device/1/{container}/{environment}/devices/register:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: registerDevice
      tags: [devices]
      summary: Register a device
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/RegisterDeviceRequest'}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Device'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /device/1/{container}/{environment}/devices/list:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/ClientID'}
    get:
      operationId: listDevices
      tags: [devices]
      summary: The caller's devices
      security:
        - {apiToken: [], webAuthToken: []}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/DevicesAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /device/1/{container}/{environment}/devices/unregister:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: unregisterDevice
      tags: [devices]
      summary: Remove a device
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/UnregisterDeviceRequest'}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/UnregisterDeviceAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /device/1/{container}/{environment}/notifications/changes:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: notificationChanges
      tags: [notifications]
      summary: The next notifications
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/NotificationChangesRequest'}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/NotificationChangesAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '410': {$ref: '#/components/responses/ChangeTokenExpired'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /device/1/{container}/{environment}/notifications/stream:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/ClientID'}
    get:
      operationId: notificationStream
      tags: [notifications]
      summary: Notifications as server-sent events
      description: |-
        Events are called notification, with the token after it as id and a Notification as data, or error, with an Error as
        data, after which the stream ends. A comment comes every 10 s.
      security:
        - {apiToken: [], webAuthToken: []}
      parameters:
        - {$ref: '#/components/parameters/DeviceID'}
        - {$ref: '#/components/parameters/ServerChangeToken'}
        - {$ref: '#/components/parameters/LastEventID'}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            text/event-stream:
              schema: {type: string}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '410': {$ref: '#/components/responses/ChangeTokenExpired'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /device/1/{container}/{environment}/notifications/markRead:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: markRead
      tags: [notifications]
      summary: Mark notifications as read
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/MarkReadRequest'}
      responses:
        '200':
          description: Done; what failed for one item stands in its place.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/MarkReadAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /device/1/{container}/{environment}/tokens/create:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: createToken
      tags: [notifications]
      summary: Make a web courier
      description: |-
        It hands out the user's notifications from now on as push payloads. It is a device of its own, with the platform
        webcourier; one more than 20 takes the place of the one that was asked least recently.
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/CreateTokenRequest'}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/CreateTokenAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/tokens/create:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/Database'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: createTokenOfDatabase
      tags: [notifications]
      summary: Make a web courier
      description: The same as /device/1/…/tokens/create, where Apple's document has it.
      deprecated: true
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/CreateTokenRequest'}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/CreateTokenAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/tokens/create:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: createTokenOfContainer
      tags: [notifications]
      summary: Make a web courier
      description: The same as /device/1/…/tokens/create, where Apple's document has it.
      deprecated: true
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/CreateTokenRequest'}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/CreateTokenAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /device/1/{container}/{environment}/tokens/register:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: registerToken
      tags: [notifications]
      summary: Name the client of a web courier
      description: |-
        Takes tokens of tokens/create, which are registered already. The service does not push to APNs itself.
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/RegisterTokenRequest'}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/RegisterTokenAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/tokens/register:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/Database'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: registerTokenOfDatabase
      tags: [notifications]
      summary: Name the client of a web courier
      description: The same as /device/1/…/tokens/register, where Apple's document has it.
      deprecated: true
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/RegisterTokenRequest'}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/RegisterTokenAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/tokens/register:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: registerTokenOfContainer
      tags: [notifications]
      summary: Name the client of a web courier
      description: The same as /device/1/…/tokens/register, where Apple's document has it.
      deprecated: true
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/RegisterTokenRequest'}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/RegisterTokenAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /aps:
    get:
      operationId: nextPush
      tags: [notifications]
      summary: The next push payload of a web courier
      description: |-
        From the webcourierURL of tokens/create, whose token is the secret that it needs, good for 12 hours. Waits up to
        30 s; an empty body means that nothing came: ask again. What is handed out does not come again.
      security: []
      parameters:
        - {$ref: '#/components/parameters/CourierToken'}
        - {$ref: '#/components/parameters/CourierTTL'}
      responses:
        '200':
          description: A payload, or nothing.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            apns-push-type: {$ref: '#/components/headers/PushType'}
            apns-priority: {$ref: '#/components/headers/PushPriority'}
            traceparent: {$ref: '#/components/headers/TraceParent'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/PushPayload'}
            text/plain:
              schema: {type: string, maxLength: 0}
        '400': {$ref: '#/components/responses/BadRequest'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '410': {$ref: '#/components/responses/ChangeTokenExpired'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /device/1/{container}/{environment}/badge/modify:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: modifyBadge
      tags: [devices]
      summary: Set the badge of all of the caller's devices
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/ModifyBadgeRequest'}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Badge'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /device/1/{container}/{environment}/badge/current:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/ClientID'}
    get:
      operationId: currentBadge
      tags: [devices]
      summary: The badge of a device
      security:
        - {apiToken: [], webAuthToken: []}
      parameters:
        - {$ref: '#/components/parameters/DeviceID'}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/WebAuthToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Badge'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /auth/1/{container}/{environment}/start:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
    get:
      operationId: signInPage
      tags: [authentication]
      summary: The sign-in page
      description: |-
        What redirectURL of AUTHENTICATION_REQUIRED leads to. The session goes to the page of `origin` that opened the window, as a message with
        ckWebAuthToken and ckSession; or to `callback`, whose origin the API token has to name, as the query item ckWebAuthToken; or into the page of a share; without any
        of them the page shows the token.
      security: []
      parameters:
        - {name: ckAPIToken, in: query, required: false, schema: {type: string}}
        - {name: origin, in: query, required: false, schema: {type: string}}
        - {name: callback, in: query, required: false, schema: {type: string}}
        - {name: share, in: query, required: false, schema: {type: string}}
      responses:
        '200': {$ref: '#/components/responses/Page'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
    post:
      operationId: beginSignIn
      tags: [authentication]
      summary: What the page's button does
      description: On to the OpenID provider, or, for a name in development, to the end. From the page itself alone.
      security: []
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema:
              type: object
              properties:
                ckAPIToken: {type: string}
                origin: {type: string}
                callback: {type: string}
                share: {type: string}
                user: {type: string}
                keepSignedIn: {type: string}
      responses:
        '200': {$ref: '#/components/responses/Page'}
        '303': {$ref: '#/components/responses/Elsewhere'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /auth/1/{container}/{environment}/callback:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
    get:
      operationId: endSignIn
      tags: [authentication]
      summary: Where the OpenID provider sends browsers back to
      security: []
      parameters:
        - {name: state, in: query, required: false, schema: {type: string}}
        - {name: code, in: query, required: false, schema: {type: string}}
        - {name: error, in: query, required: false, schema: {type: string}}
        - {name: error_description, in: query, required: false, schema: {type: string}}
      responses:
        '200': {$ref: '#/components/responses/Page'}
        '303': {$ref: '#/components/responses/Elsewhere'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /share/1/{container}/{environment}/{shortGUID}:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {name: shortGUID, in: path, required: true, schema: {type: string}}
    get:
      operationId: sharePage
      tags: [sharing]
      summary: The page of a share
      description: What is shared and by whom, where that is open to everybody who has the address; and the way to sign in.
      security: []
      responses:
        '200': {$ref: '#/components/responses/Page'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
    post:
      operationId: acceptOnPage
      tags: [sharing]
      summary: What the page's button does
      description: Accepts the share for the user to whom the page was shown. From the page itself alone.
      security: []
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema: {type: object, properties: {ticket: {type: string}}}
      responses:
        '200': {$ref: '#/components/responses/Page'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /pages/{file}:
    parameters:
      - {name: file, in: path, required: true, schema: {type: string}}
    get:
      operationId: pageFile
      tags: [document]
      summary: The style and the scripts of pages
      security: []
      responses:
        '200':
          description: The file.
          content:
            text/css: {schema: {type: string}}
            text/javascript: {schema: {type: string}}
            image/svg+xml: {schema: {type: string}}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /auth/1/{container}/{environment}/signin:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: signIn
      tags: [authentication]
      summary: Sign a user in
      description: |-
        With an ID token of the configured OpenID Connect issuer; or by name, in the development environment where
        development-sign-in is on.
      security:
        - {apiToken: []}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/SignInRequest'}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/SignInAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /auth/1/{container}/{environment}/signout:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/ClientID'}
    post:
      operationId: signOut
      tags: [authentication]
      summary: End the caller's session
      description: |-
        All tokens that followed from the sign-in of the presented one are refused from then on, and its streams and held
        requests end.
      security:
        - {apiToken: [], webAuthToken: []}
      requestBody:
        required: false
        content:
          application/json:
            schema: {$ref: '#/components/schemas/SignOutRequest'}
      responses:
        '200':
          description: Done.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/SignOutAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '421': {$ref: '#/components/responses/AuthenticationRequired'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /assets/1/{container}/{environment}/upload/{token}:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/AssetToken'}
    post:
      operationId: uploadAsset
      tags: [assets]
      summary: Send the bytes of an asset
      description: |-
        To an address that assets/upload answered: its last part is the secret that it needs, good for 15 minutes.
        Of a form (multipart/form-data) the first part with a filename is the file, or the first where none has one.
      security: []
      requestBody:
        required: true
        content:
          application/octet-stream:
            schema: {}
          multipart/form-data:
            schema: {}
      responses:
        '200':
          description: Kept. The answer has what an asset field of a record takes as its value.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/UploadAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
    put:
      operationId: putAsset
      tags: [assets]
      summary: Send the bytes of an asset
      description: |-
        To an address that assets/upload answered: its last part is the secret that it needs, good for 15 minutes.
        Of a form (multipart/form-data) the first part with a filename is the file, or the first where none has one.
      security: []
      requestBody:
        required: true
        content:
          application/octet-stream:
            schema: {}
          multipart/form-data:
            schema: {}
      responses:
        '200':
          description: Kept. The answer has what an asset field of a record takes as its value.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/UploadAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /assets/1/{container}/{environment}/download/{token}:
    parameters:
      - {$ref: '#/components/parameters/Container'}
      - {$ref: '#/components/parameters/Environment'}
      - {$ref: '#/components/parameters/AssetToken'}
    get:
      operationId: downloadAsset
      tags: [assets]
      summary: Fetch the bytes of an asset
      description: |-
        From the downloadURL of an asset field. Its last part is the secret that it needs, good for an hour. One range of bytes can
        be asked for (Range, If-Range), and whether the file is the one that is known (If-None-Match, If-Match); HEAD tells the head alone.
      parameters:
        - {$ref: '#/components/parameters/FileName'}
      security: []
      responses:
        '200':
          description: The bytes as they were uploaded.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            ETag: {$ref: '#/components/headers/EntityTag'}
            Accept-Ranges: {$ref: '#/components/headers/AcceptRanges'}
            Content-Disposition: {$ref: '#/components/headers/ContentDisposition'}
          content:
            application/octet-stream:
              schema: {}
        '206':
          description: The range of bytes that was asked for.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            ETag: {$ref: '#/components/headers/EntityTag'}
            Accept-Ranges: {$ref: '#/components/headers/AcceptRanges'}
            Content-Disposition: {$ref: '#/components/headers/ContentDisposition'}
            Content-Range: {$ref: '#/components/headers/ContentRange'}
          content:
            application/octet-stream:
              schema: {}
        '304':
          description: The file is the one that If-None-Match names. Content-Length is that of 200.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
            ETag: {$ref: '#/components/headers/EntityTag'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '412': {$ref: '#/components/responses/PreconditionFailed'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '416': {$ref: '#/components/responses/RangeNotSatisfiable'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /openapi.yaml:
    get:
      operationId: document
      tags: [document]
      summary: This document
      security: []
      responses:
        '200':
          description: The document that fits the program that answers.
          content:
            application/yaml:
              schema: {type: string}
        '400': {$ref: '#/components/responses/BadRequest'}
        '408': {$ref: '#/components/responses/RequestTimedOut'}
        '413': {$ref: '#/components/responses/QuotaExceeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '431': {$ref: '#/components/responses/HeadersTooLarge'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}

components:
  securitySchemes:
    apiToken:
      type: apiKey
      in: query
      name: ckAPIToken
      description: 64 hexadecimal digits, good for one container and environment. Alone it reads the public database.
    webAuthToken:
      type: apiKey
      in: query
      name: ckWebAuthToken
      description: The signed-in user. Each answer hands out a fresh one; earlier ones stay good until they end.
    serverKeyID:
      type: apiKey
      in: header
      name: X-Apple-CloudKit-Request-KeyID
      description: A server-to-server key, which reaches the records of the public database.
    serverKeyDate:
      type: apiKey
      in: header
      name: X-Apple-CloudKit-Request-ISO8601Date
      description: As in 2025-01-31T12:00:00Z, within ten minutes of the service's clock.
    serverKeySignature:
      type: apiKey
      in: header
      name: X-Apple-CloudKit-Request-SignatureV1
      description: |-
        Base64 of the DER form of ECDSA with P-256 and SHA-256 over "date:base64(SHA-256(body)):path", the path with or
        without its query.

  headers:
    RequestUUID:
      description: A name of the answer, for logs and bug reports.
      schema: {$ref: '#/components/schemas/UUID'}
    PushType:
      description: With a payload, how APNs would deliver it; alert where something is seen or heard.
      schema: {type: string, enum: [alert, background]}
    PushPriority:
      description: With a payload, how soon APNs would deliver it; 10 is at once, 5 when it suits the device.
      schema: {type: string, enum: ['10', '5']}
    TraceParent:
      description: With a payload, the trace of the request that made the change, where the service keeps it (W3C Trace Context).
      schema: {type: string, pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-01$'}
    WebAuthToken:
      description: A fresh web auth token, where a user asked.
      schema: {type: string, minLength: 1}
    RetryAfter:
      description: Seconds after which the same request may succeed; the body's retryAfter.
      schema: {type: string, pattern: '^[0-9]+$'}
    EntityTag:
      description: The name of the file's bytes, which never change; for If-None-Match and If-Range.
      required: true
      schema: {type: string, pattern: '^"[A-Za-z0-9+/]+=*"$'}
    AcceptRanges:
      required: true
      schema: {type: string, enum: [bytes]}
    ContentDisposition:
      required: true
      schema: {type: string, pattern: '^attachment(; .*)?$'}
    ContentRange:
      description: The range, and the bytes of the whole file.
      required: true
      schema: {type: string, pattern: '^bytes ([0-9]+-[0-9]+|\*)/[0-9]+$'}
    Allow:
      description: The methods that the path answers to; HEAD wherever GET is.
      required: true
      schema: {type: string, minLength: 3}

  parameters:
    Container:
      name: container
      in: path
      required: true
      schema: {type: string, minLength: 1, maxLength: 120, pattern: '^[A-Za-z0-9.-]+$'}
    Environment:
      name: environment
      in: path
      required: true
      description: development or production, in small letters or large.
      schema:
        type: string
        pattern: '^([Dd][Ee][Vv][Ee][Ll][Oo][Pp][Mm][Ee][Nn][Tt]|[Pp][Rr][Oo][Dd][Uu][Cc][Tt][Ii][Oo][Nn])$'
    Database:
      name: database
      in: path
      required: true
      schema: {type: string, enum: [public, private, shared]}
    PublicDatabase:
      name: database
      in: path
      required: true
      schema: {type: string, enum: [public]}
    PrivateDatabase:
      name: database
      in: path
      required: true
      schema: {type: string, enum: [private]}
    PrivateOrSharedDatabase:
      name: database
      in: path
      required: true
      schema: {type: string, enum: [private, shared]}
    ClientID:
      name: clientId
      in: query
      description: The registered device that the client speaks for, or what else it calls itself.
      schema: {type: string, maxLength: 255, pattern: '^[^\x00-\x1f\x7f]*$'}
    DeviceID:
      name: deviceID
      in: query
      required: true
      schema: {$ref: '#/components/schemas/DeviceID'}
    ServerChangeToken:
      name: serverChangeToken
      in: query
      schema: {type: string}
    LastEventID:
      name: Last-Event-ID
      in: header
      description: The id of the last event, which wins over serverChangeToken.
      schema: {type: string}
    CourierToken:
      name: tok
      in: query
      required: true
      schema: {type: string, minLength: 1, pattern: '^[A-Za-z0-9_+/-]+={0,2}$'}
    CourierTTL:
      name: ttl
      in: query
      description: Seconds that the token is good from its making on; says nothing new.
      schema: {type: string}
    AssetToken:
      name: token
      in: path
      required: true
      schema: {type: string, minLength: 1, pattern: '^[A-Za-z0-9_.~+/-]+={0,2}$'}
    FileName:
      name: filename
      in: query
      description: The name that a browser is to save the file under, for Content-Disposition.
      schema: {type: string}

  responses:
    BadRequest:
      description: The request cannot be read or asks for what cannot be.
      headers:
        X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
      content:
        text/html: {schema: {description: On a page., type: string}}
        application/json:
          schema:
            allOf:
              - {$ref: '#/components/schemas/Error'}
              - properties: {serverErrorCode: {enum: [BAD_REQUEST]}}
    PreconditionFailed:
      description: The file is not the one that If-Match names.
      headers:
        X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
      content:
        application/json:
          schema:
            allOf:
              - {$ref: '#/components/schemas/Error'}
              - properties: {serverErrorCode: {enum: [BAD_REQUEST]}}
    RangeNotSatisfiable:
      description: The file has none of the bytes that were asked for.
      headers:
        X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
        Content-Range: {$ref: '#/components/headers/ContentRange'}
      content:
        application/json:
          schema:
            allOf:
              - {$ref: '#/components/schemas/Error'}
              - properties: {serverErrorCode: {enum: [BAD_REQUEST]}}
    AuthenticationFailed:
      description: Credentials are not good.
      headers:
        X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
      content:
        text/html: {schema: {description: On a page., type: string}}
        application/json:
          schema:
            allOf:
              - {$ref: '#/components/schemas/Error'}
              - properties: {serverErrorCode: {enum: [AUTHENTICATION_FAILED]}}
    AccessDenied:
      description: Not allowed; the reason says which right was missing.
      headers:
        X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
      content:
        text/html: {schema: {description: On a page., type: string}}
        application/json:
          schema:
            allOf:
              - {$ref: '#/components/schemas/Error'}
              - properties: {serverErrorCode: {enum: [ACCESS_DENIED]}}
    NotFound:
      description: There is no such thing.
      headers:
        X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
      content:
        text/html: {schema: {description: On a page., type: string}}
        application/json:
          schema:
            allOf:
              - {$ref: '#/components/schemas/Error'}
              - properties: {serverErrorCode: {enum: [NOT_FOUND, ZONE_NOT_FOUND]}}
    MethodNotAllowed:
      description: The path answers to another method.
      headers:
        X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
        Allow: {$ref: '#/components/headers/Allow'}
      content:
        application/json:
          schema:
            allOf:
              - {$ref: '#/components/schemas/Error'}
              - properties: {serverErrorCode: {enum: [BAD_REQUEST]}}
    RequestTimedOut:
      description: The request did not arrive in time.
      headers:
        X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
      content:
        application/json:
          schema:
            allOf:
              - {$ref: '#/components/schemas/Error'}
              - properties: {serverErrorCode: {enum: [BAD_REQUEST]}}
    ChangeTokenExpired:
      description: What comes after the token is not kept any more; begin without one.
      headers:
        X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
      content:
        application/json:
          schema:
            allOf:
              - {$ref: '#/components/schemas/Error'}
              - properties: {serverErrorCode: {enum: [CHANGE_TOKEN_EXPIRED]}}
    QuotaExceeded:
      description: Over a limit.
      headers:
        X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
      content:
        application/json:
          schema:
            allOf:
              - {$ref: '#/components/schemas/Error'}
              - properties: {serverErrorCode: {enum: [QUOTA_EXCEEDED]}}
    Page:
      description: A page for people.
      content:
        text/html: {schema: {type: string}}
    Elsewhere:
      description: The browser goes on elsewhere.
      headers:
        Location: {required: true, schema: {type: string}}
    AuthenticationRequired:
      description: Credentials are missing.
      headers:
        X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
      content:
        application/json:
          schema:
            allOf:
              - {$ref: '#/components/schemas/Error'}
              - properties: {serverErrorCode: {enum: [AUTHENTICATION_REQUIRED]}}
    HeadersTooLarge:
      description: Request line and headers are too large.
      headers:
        X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
      content:
        application/json:
          schema:
            allOf:
              - {$ref: '#/components/schemas/Error'}
              - properties: {serverErrorCode: {enum: [BAD_REQUEST]}}
    InternalError:
      description: A fault of the service's own.
      headers:
        X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
      content:
        text/html: {schema: {description: On a page., type: string}}
        application/json:
          schema:
            allOf:
              - {$ref: '#/components/schemas/Error'}
              - properties: {serverErrorCode: {enum: [INTERNAL_ERROR]}}
    Throttled:
      description: More than the sender may ask for in a while; retryAfter says when to come again, as Retry-After does.
      headers:
        X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
        Retry-After: {$ref: '#/components/headers/RetryAfter'}
      content:
        application/json:
          schema:
            allOf:
              - {$ref: '#/components/schemas/Error'}
              - properties: {serverErrorCode: {enum: [THROTTLED]}}
    TryAgainLater:
      description: Not now; retryAfter says when, as Retry-After does.
      headers:
        X-Apple-Request-UUID: {$ref: '#/components/headers/RequestUUID'}
        Retry-After: {$ref: '#/components/headers/RetryAfter'}
      content:
        text/html: {schema: {description: On a page., type: string}}
        application/json:
          schema:
            allOf:
              - {$ref: '#/components/schemas/Error'}
              - properties: {serverErrorCode: {enum: [TRY_AGAIN_LATER]}}
  schemas:
    UUID: {type: string, pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'}
    Milliseconds: {type: integer, description: 'Milliseconds since 1970, UTC'}
    Token:
      description: |-
        A place that is to be sent back: base64 with its padding. It is taken in the alphabet of URLs, too, with padding or without.
      type: string
      minLength: 1
      pattern: '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'
    ResultsLimit:
      description: 0 lets the server decide; more than 200 is 200.
      type: integer
      minimum: 0
      default: 200

    # Names

    RecordName:
      type: string
      description: Printable ASCII that does not begin with an underscore.
      minLength: 1
      maxLength: 255
      pattern: '^([ -^`-~][ -~]*|_[0-9a-f]{32})$'
    RecordType: {type: string, minLength: 1, maxLength: 255, pattern: '^([A-Za-z][A-Za-z0-9_]*|cloudkit\.share)$'}
    FieldName: {type: string, minLength: 1, maxLength: 255, pattern: '^([A-Za-z][A-Za-z0-9_]*|cloudkit\.(title|thumbnailImageData|type))$'}
    SubscriptionID: {type: string, minLength: 1, maxLength: 255, pattern: '^[ -~]*$'}
    DeviceID: {type: string, minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_-]+$'}
    UserRecordName: {type: string, pattern: '^_[0-9a-f]{32}$'}
    ZoneName: {type: string, minLength: 1, maxLength: 255, pattern: '^(_defaultZone|[ -^`-~][ -~]*)$'}
    DesiredKeys:
      type: array
      description: The fields to answer; absent is all.
      items: {$ref: '#/components/schemas/FieldName'}
    SystemFieldName:
      type: string
      enum:
        - recordName
        - createdTimestamp
        - createdUserRecordName
        - modifiedTimestamp
        - modifiedUserRecordName
        - ___recordID
        - ___recordId
        - ___createTime
        - ___createdBy
        - ___modTime
        - ___modifiedBy

    # Errors

    ErrorCode:
      type: string
      enum:
        - ACCESS_DENIED
        - ATOMIC_ERROR
        - AUTHENTICATION_FAILED
        - AUTHENTICATION_REQUIRED
        - BAD_REQUEST
        - CHANGE_TOKEN_EXPIRED
        - CONFLICT
        - EXISTS
        - INTERNAL_ERROR
        - NOT_FOUND
        - QUOTA_EXCEEDED
        - THROTTLED
        - TRY_AGAIN_LATER
        - VALIDATING_REFERENCE_ERROR
        - ZONE_NOT_FOUND
    Reason: {type: string, minLength: 1, description: 'What was wrong with what, and what to do; for developers'}
    RetryAfter: {type: integer, minimum: 0, description: 'Seconds after which the same request may succeed'}
    Error:
      type: object
      required: [serverErrorCode, reason, uuid]
      properties:
        serverErrorCode: {$ref: '#/components/schemas/ErrorCode'}
        reason: {$ref: '#/components/schemas/Reason'}
        uuid: {$ref: '#/components/schemas/UUID'}
        retryAfter: {$ref: '#/components/schemas/RetryAfter'}
        gap: {$ref: '#/components/schemas/TokenGap'}
        redirectURL:
          description: With AUTHENTICATION_REQUIRED, where there is a page that a user signs in on.
          type: string
          format: uri
      additionalProperties: false
    TokenGap:
      type: object
      description: With CHANGE_TOKEN_EXPIRED of a device's feed, what the token can no longer bring; what is not known is absent.
      properties:
        from:
          allOf: [{$ref: '#/components/schemas/Milliseconds'}]
          description: The time of the last entry that had been fetched.
        until:
          allOf: [{$ref: '#/components/schemas/Milliseconds'}]
          description: The time of the first entry that can still be fetched.
        entries:
          type: integer
          minimum: 0
          description: Entries of the feed that are gone, also of such as are no notifications.
      additionalProperties: false
    RecordError:
      type: object
      required: [serverErrorCode, reason, uuid]
      properties:
        recordName: {$ref: '#/components/schemas/RecordName'}
        serverErrorCode: {$ref: '#/components/schemas/ErrorCode'}
        reason: {$ref: '#/components/schemas/Reason'}
        uuid: {$ref: '#/components/schemas/UUID'}
        retryAfter: {$ref: '#/components/schemas/RetryAfter'}
      additionalProperties: false
    ZoneError:
      type: object
      required: [zoneID, serverErrorCode, reason, uuid]
      properties:
        zoneID: {$ref: '#/components/schemas/AnsweredZoneID'}
        serverErrorCode: {$ref: '#/components/schemas/ErrorCode'}
        reason: {$ref: '#/components/schemas/Reason'}
        uuid: {$ref: '#/components/schemas/UUID'}
        retryAfter: {$ref: '#/components/schemas/RetryAfter'}
      additionalProperties: false
    SubscriptionError:
      type: object
      required: [serverErrorCode, reason, uuid]
      properties:
        subscriptionID: {$ref: '#/components/schemas/SubscriptionID'}
        serverErrorCode: {$ref: '#/components/schemas/ErrorCode'}
        reason: {$ref: '#/components/schemas/Reason'}
        uuid: {$ref: '#/components/schemas/UUID'}
        retryAfter: {$ref: '#/components/schemas/RetryAfter'}
      additionalProperties: false
    NotificationError:
      type: object
      required: [notificationID, serverErrorCode, reason, uuid]
      properties:
        notificationID: {type: string}
        serverErrorCode: {$ref: '#/components/schemas/ErrorCode'}
        reason: {$ref: '#/components/schemas/Reason'}
        uuid: {$ref: '#/components/schemas/UUID'}
        retryAfter: {$ref: '#/components/schemas/RetryAfter'}
      additionalProperties: false
    UserError:
      type: object
      required: [serverErrorCode, reason, uuid]
      properties:
        emailAddress: {type: string}
        phoneNumber: {type: string}
        userRecordName: {$ref: '#/components/schemas/UserRecordName'}
        serverErrorCode: {$ref: '#/components/schemas/ErrorCode'}
        reason: {$ref: '#/components/schemas/Reason'}
        uuid: {$ref: '#/components/schemas/UUID'}
        retryAfter: {$ref: '#/components/schemas/RetryAfter'}
      additionalProperties: false
    AssetError:
      type: object
      required: [recordName, fieldName, serverErrorCode, reason, uuid]
      properties:
        recordName: {$ref: '#/components/schemas/RecordName'}
        fieldName: {$ref: '#/components/schemas/FieldName'}
        serverErrorCode: {$ref: '#/components/schemas/ErrorCode'}
        reason: {$ref: '#/components/schemas/Reason'}
        uuid: {$ref: '#/components/schemas/UUID'}
        retryAfter: {$ref: '#/components/schemas/RetryAfter'}
      additionalProperties: false
    ShareError:
      type: object
      required: [shortGUID, serverErrorCode, reason, uuid]
      properties:
        shortGUID: {$ref: '#/components/schemas/ShortGUID'}
        serverErrorCode: {$ref: '#/components/schemas/ErrorCode'}
        reason: {$ref: '#/components/schemas/Reason'}
        uuid: {$ref: '#/components/schemas/UUID'}
        retryAfter: {$ref: '#/components/schemas/RetryAfter'}
      additionalProperties: false

    # Values, as requests give them

    FieldType:
      type: string
      enum:
        - STRING
        - INT64
        - DOUBLE
        - TIMESTAMP
        - REFERENCE
        - BYTES
        - LOCATION
        - ASSET
        - ASSETID
        - STRING_LIST
        - INT64_LIST
        - DOUBLE_LIST
        - TIMESTAMP_LIST
        - REFERENCE_LIST
        - BYTES_LIST
        - LOCATION_LIST
        - ASSET_LIST
        - ASSETID_LIST
        - LIST
        - EMPTY_LIST
        - UNKNOWN_LIST
        - ENCRYPTED_STRING
        - ENCRYPTED_INT64
        - ENCRYPTED_DOUBLE
        - ENCRYPTED_TIMESTAMP
        - ENCRYPTED_BYTES
        - ENCRYPTED_LOCATION
        - ENCRYPTED_STRING_LIST
        - ENCRYPTED_INT64_LIST
        - ENCRYPTED_DOUBLE_LIST
        - ENCRYPTED_TIMESTAMP_LIST
        - ENCRYPTED_BYTES_LIST
        - ENCRYPTED_LOCATION_LIST
    Integer:
      description: 64 bits with a sign; a string where the request says numbersAsStrings.
      oneOf:
        - {type: integer, minimum: -9223372036854775808, maximum: 9223372036854775807}
        - {type: string, pattern: '^[+-]?[0-9]+$'}
    Time:
      description: Milliseconds since 1970, whose fraction is cut off; a string where the request says numbersAsStrings.
      oneOf:
        - {type: number}
        - {type: string, pattern: '^[+-]?[0-9]+$'}
    Number:
      description: A string where the request says numbersAsStrings.
      type: [number, string]
    Base64: {type: string, pattern: '^[A-Za-z0-9+/]*={0,2}$'}
    Location:
      type: object
      required: [latitude, longitude]
      properties:
        latitude: {$ref: '#/components/schemas/Number'}
        longitude: {$ref: '#/components/schemas/Number'}
        horizontalAccuracy: {$ref: '#/components/schemas/Number'}
        verticalAccuracy: {$ref: '#/components/schemas/Number'}
        altitude: {$ref: '#/components/schemas/Number'}
        speed: {$ref: '#/components/schemas/Number'}
        course: {$ref: '#/components/schemas/Number'}
        timestamp: {$ref: '#/components/schemas/Time'}
    ReferenceAction: {type: string, enum: [NONE, DELETE_SELF, VALIDATE]}
    Reference:
      type: object
      required: [recordName]
      properties:
        recordName: {$ref: '#/components/schemas/RecordName'}
        zoneID: {$ref: '#/components/schemas/ZoneID'}
        action: {$ref: '#/components/schemas/ReferenceAction'}
    Asset:
      description: What the upload answered as singleFile, or what assets/rereference answered.
      type: object
      required: [fileChecksum, size]
      properties:
        fileChecksum: {type: string}
        size: {type: integer, minimum: 0}
        receipt: {type: string}
        referenceChecksum: {type: string}
        wrappingKey: {type: string}
    Field:
      description: |-
        A value and its type, which may be left out where the value shows it. Booleans are no values: send 0 or 1. Null, and
        no value, removes the field. A list may be called LIST, EMPTY_LIST or UNKNOWN_LIST, which says nothing of its elements.
        A field is encrypted by isEncrypted or by a type ENCRYPTED_…, in the private and the shared database.
      type: object
      properties:
        isEncrypted: {type: boolean}
      oneOf:
        - not: {required: [value]}
          properties: {type: {$ref: '#/components/schemas/FieldType'}}
        - required: [value]
          not: {required: [type]}
          properties:
            value:
              anyOf:
                - {type: [string, number, array, 'null']}
                - {$ref: '#/components/schemas/Reference'}
                - {$ref: '#/components/schemas/Location'}
                - {$ref: '#/components/schemas/Asset'}
        - required: [type, value]
          properties: {type: {$ref: '#/components/schemas/FieldType'}, value: {type: 'null'}}
        - required: [type, value]
          properties: {type: {const: STRING}, value: {type: string}}
        - required: [type, value]
          properties: {type: {const: INT64}, value: {$ref: '#/components/schemas/Integer'}}
        - required: [type, value]
          properties: {type: {const: DOUBLE}, value: {$ref: '#/components/schemas/Number'}}
        - required: [type, value]
          properties: {type: {const: TIMESTAMP}, value: {$ref: '#/components/schemas/Time'}}
        - required: [type, value]
          properties: {type: {const: REFERENCE}, value: {$ref: '#/components/schemas/Reference'}}
        - required: [type, value]
          properties: {type: {const: BYTES}, value: {$ref: '#/components/schemas/Base64'}}
        - required: [type, value]
          properties: {type: {const: LOCATION}, value: {$ref: '#/components/schemas/Location'}}
        - required: [type, value]
          properties: {type: {enum: [ASSET, ASSETID]}, value: {$ref: '#/components/schemas/Asset'}}
        - required: [type, value]
          properties: {type: {const: STRING_LIST}, value: {type: array, items: {type: string}}}
        - required: [type, value]
          properties: {type: {const: INT64_LIST}, value: {type: array, items: {$ref: '#/components/schemas/Integer'}}}
        - required: [type, value]
          properties: {type: {const: DOUBLE_LIST}, value: {type: array, items: {$ref: '#/components/schemas/Number'}}}
        - required: [type, value]
          properties: {type: {const: TIMESTAMP_LIST}, value: {type: array, items: {$ref: '#/components/schemas/Time'}}}
        - required: [type, value]
          properties: {type: {const: REFERENCE_LIST}, value: {type: array, items: {$ref: '#/components/schemas/Reference'}}}
        - required: [type, value]
          properties: {type: {const: BYTES_LIST}, value: {type: array, items: {$ref: '#/components/schemas/Base64'}}}
        - required: [type, value]
          properties: {type: {const: LOCATION_LIST}, value: {type: array, items: {$ref: '#/components/schemas/Location'}}}
        - required: [type, value]
          properties: {type: {enum: [ASSET_LIST, ASSETID_LIST]}, value: {type: array, items: {$ref: '#/components/schemas/Asset'}}}
        - required: [type, value]
          properties:
            type: {enum: [LIST, EMPTY_LIST, UNKNOWN_LIST]}
            value: {type: array}
        - required: [type, value]
          properties: {type: {const: ENCRYPTED_STRING}, value: {type: string}}
        - required: [type, value]
          properties: {type: {const: ENCRYPTED_STRING_LIST}, value: {type: array, items: {type: string}}}
        - required: [type, value]
          properties: {type: {const: ENCRYPTED_INT64}, value: {$ref: '#/components/schemas/Integer'}}
        - required: [type, value]
          properties: {type: {const: ENCRYPTED_INT64_LIST}, value: {type: array, items: {$ref: '#/components/schemas/Integer'}}}
        - required: [type, value]
          properties: {type: {const: ENCRYPTED_DOUBLE}, value: {$ref: '#/components/schemas/Number'}}
        - required: [type, value]
          properties: {type: {const: ENCRYPTED_DOUBLE_LIST}, value: {type: array, items: {$ref: '#/components/schemas/Number'}}}
        - required: [type, value]
          properties: {type: {const: ENCRYPTED_TIMESTAMP}, value: {$ref: '#/components/schemas/Time'}}
        - required: [type, value]
          properties: {type: {const: ENCRYPTED_TIMESTAMP_LIST}, value: {type: array, items: {$ref: '#/components/schemas/Time'}}}
        - required: [type, value]
          properties: {type: {const: ENCRYPTED_BYTES}, value: {$ref: '#/components/schemas/Base64'}}
        - required: [type, value]
          properties: {type: {const: ENCRYPTED_BYTES_LIST}, value: {type: array, items: {$ref: '#/components/schemas/Base64'}}}
        - required: [type, value]
          properties: {type: {const: ENCRYPTED_LOCATION}, value: {$ref: '#/components/schemas/Location'}}
        - required: [type, value]
          properties: {type: {const: ENCRYPTED_LOCATION_LIST}, value: {type: array, items: {$ref: '#/components/schemas/Location'}}}
    ComparedField:
      description: As a Field, but for references, which need no action here, and for null.
      type: object
      required: [value]
      properties:
        type: {$ref: '#/components/schemas/FieldType'}
        value: {type: [string, number, array, object]}
        isEncrypted:
          description: Nothing is compared with an encrypted field.
          const: false
    ZoneID:
      type: object
      required: [zoneName]
      properties:
        zoneName: {$ref: '#/components/schemas/ZoneName'}
        ownerRecordName:
          description: Absent, __defaultOwner__ or _defaultOwner is the caller; in the public database everybody.
          type: string
          pattern: '^(_[0-9a-f]{32}|_defaultOwner|__defaultOwner__)$'
        zoneType: {type: string, enum: [DEFAULT_ZONE, REGULAR_CUSTOM_ZONE]}

    # Values, as answers have them

    AnsweredInteger:
      oneOf:
        - {type: integer}
        - {type: string, pattern: '^-?[0-9]+$'}
    AnsweredNumber:
      oneOf:
        - {type: number}
        - {type: string, minLength: 1}
    AnsweredLocation:
      type: object
      required: [latitude, longitude]
      properties:
        latitude: {type: number, minimum: -90, maximum: 90}
        longitude: {type: number, minimum: -180, maximum: 180}
        horizontalAccuracy: {type: number}
        verticalAccuracy: {type: number}
        altitude: {type: number}
        speed: {type: number}
        course: {type: number}
        timestamp: {$ref: '#/components/schemas/Milliseconds'}
      additionalProperties: false
    AnsweredReference:
      type: object
      required: [recordName, action]
      properties:
        recordName: {type: string, minLength: 1, maxLength: 255}
        zoneID: {$ref: '#/components/schemas/AnsweredZoneID'}
        action: {$ref: '#/components/schemas/ReferenceAction'}
      additionalProperties: false
    AnsweredAsset:
      type: object
      required: [fileChecksum, size]
      properties:
        fileChecksum: {type: string, minLength: 1}
        size: {type: integer, minimum: 0}
        downloadURL: {type: string, minLength: 1}
      additionalProperties: false
    AnsweredField:
      oneOf:
        - type: object
          required: [value, type]
          properties:
            type: {const: STRING}
            value: {type: string}
            isEncrypted: {const: true}
          additionalProperties: false
        - type: object
          required: [value, type]
          properties:
            type: {const: INT64}
            value: {$ref: '#/components/schemas/AnsweredInteger'}
            isEncrypted: {const: true}
          additionalProperties: false
        - type: object
          required: [value, type]
          properties:
            type: {const: DOUBLE}
            value: {$ref: '#/components/schemas/AnsweredNumber'}
            isEncrypted: {const: true}
          additionalProperties: false
        - type: object
          required: [value, type]
          properties:
            type: {const: TIMESTAMP}
            value: {$ref: '#/components/schemas/AnsweredInteger'}
            isEncrypted: {const: true}
          additionalProperties: false
        - type: object
          required: [value, type]
          properties:
            type: {const: REFERENCE}
            value: {$ref: '#/components/schemas/AnsweredReference'}
          additionalProperties: false
        - type: object
          required: [value, type]
          properties:
            type: {const: BYTES}
            value: {$ref: '#/components/schemas/Base64'}
          additionalProperties: false
        - type: object
          required: [value, type]
          properties:
            type: {const: LOCATION}
            value: {$ref: '#/components/schemas/AnsweredLocation'}
            isEncrypted: {const: true}
          additionalProperties: false
        - type: object
          required: [value, type]
          properties:
            type: {const: ASSETID}
            value: {$ref: '#/components/schemas/AnsweredAsset'}
          additionalProperties: false
        - type: object
          required: [value, type]
          properties:
            type: {const: STRING_LIST}
            value: {type: array, items: {type: string}}
            isEncrypted: {const: true}
          additionalProperties: false
        - type: object
          required: [value, type]
          properties:
            type: {const: INT64_LIST}
            value: {type: array, items: {$ref: '#/components/schemas/AnsweredInteger'}}
            isEncrypted: {const: true}
          additionalProperties: false
        - type: object
          required: [value, type]
          properties:
            type: {const: DOUBLE_LIST}
            value: {type: array, items: {$ref: '#/components/schemas/AnsweredNumber'}}
            isEncrypted: {const: true}
          additionalProperties: false
        - type: object
          required: [value, type]
          properties:
            type: {const: TIMESTAMP_LIST}
            value: {type: array, items: {$ref: '#/components/schemas/AnsweredInteger'}}
            isEncrypted: {const: true}
          additionalProperties: false
        - type: object
          required: [value, type]
          properties:
            type: {const: REFERENCE_LIST}
            value: {type: array, items: {$ref: '#/components/schemas/AnsweredReference'}}
          additionalProperties: false
        - type: object
          required: [value, type]
          properties:
            type: {const: BYTES_LIST}
            value: {type: array, items: {$ref: '#/components/schemas/Base64'}}
            isEncrypted: {const: true}
          additionalProperties: false
        - type: object
          required: [value, type]
          properties:
            type: {const: LOCATION_LIST}
            value: {type: array, items: {$ref: '#/components/schemas/AnsweredLocation'}}
            isEncrypted: {const: true}
          additionalProperties: false
        - type: object
          required: [value, type]
          properties:
            type: {const: ASSETID_LIST}
            value: {type: array, items: {$ref: '#/components/schemas/AnsweredAsset'}}
          additionalProperties: false
        - type: object
          required: [value, type, isEncrypted]
          properties:
            type: {const: ENCRYPTED_BYTES}
            value: {$ref: '#/components/schemas/Base64'}
            isEncrypted: {const: true}
          additionalProperties: false
    AnsweredFields:
      type: object
      propertyNames: {$ref: '#/components/schemas/FieldName'}
      additionalProperties: {$ref: '#/components/schemas/AnsweredField'}
    AnsweredZoneID:
      type: object
      required: [zoneName]
      properties:
        zoneName: {$ref: '#/components/schemas/ZoneName'}
        ownerRecordName: {type: string, pattern: '^(_[0-9a-f]{32}|_defaultOwner)$'}
        zoneType: {type: string, enum: [DEFAULT_ZONE, REGULAR_CUSTOM_ZONE]}
      additionalProperties: false

    # Records

    Record:
      type: object
      required: [recordName, recordType, recordChangeTag, fields, pluginFields, zoneID, created, modified, deleted]
      properties:
        recordName: {$ref: '#/components/schemas/RecordName'}
        recordType: {$ref: '#/components/schemas/RecordType'}
        recordChangeTag: {type: string, minLength: 1}
        fields: {$ref: '#/components/schemas/AnsweredFields'}
        pluginFields:
          description: Empty; live CloudKit has it in every record.
          type: object
          additionalProperties: false
        zoneID: {$ref: '#/components/schemas/AnsweredZoneID'}
        created: {$ref: '#/components/schemas/Stamp'}
        modified: {$ref: '#/components/schemas/Stamp'}
        deleted: {const: false}
        parent: {$ref: '#/components/schemas/NamedRecord'}
        share: {$ref: '#/components/schemas/NamedRecord'}
        shortGUID: {type: string, minLength: 1}
        publicPermission: {$ref: '#/components/schemas/Permission'}
        forRecord: {$ref: '#/components/schemas/NamedRecord'}
        owner: {$ref: '#/components/schemas/Participant'}
        currentUserParticipant:
          description: The caller's own part.
          $ref: '#/components/schemas/Participant'
        participants:
          description: The owner first.
          type: array
          maxItems: 101
          items: {$ref: '#/components/schemas/Participant'}
      additionalProperties: false
    NamedRecord:
      type: object
      required: [recordName]
      properties:
        recordName: {$ref: '#/components/schemas/RecordName'}
      additionalProperties: false
    Stamp:
      type: object
      required: [timestamp, userRecordName, deviceID]
      properties:
        timestamp: {$ref: '#/components/schemas/Milliseconds'}
        userRecordName: {$ref: '#/components/schemas/UserRecordName'}
        deviceID:
          description: The clientId of a change of one's own; "2" for all others.
          type: string
          minLength: 1
          maxLength: 255
      additionalProperties: false
    DeletedRecord:
      type: object
      required: [recordName, deleted]
      properties:
        recordName: {$ref: '#/components/schemas/RecordName'}
        deleted: {const: true}
      additionalProperties: false
    Tombstone:
      description: A deleted record in a feed.
      type: object
      required: [recordName, recordType, deleted, zoneID]
      properties:
        recordName: {$ref: '#/components/schemas/RecordName'}
        recordType: {$ref: '#/components/schemas/RecordType'}
        deleted: {const: true}
        zoneID: {$ref: '#/components/schemas/AnsweredZoneID'}
      additionalProperties: false
    RecordsAnswer:
      type: object
      required: [records]
      properties:
        records:
          type: array
          maxItems: 200
          items:
            oneOf:
              - {$ref: '#/components/schemas/Record'}
              - {$ref: '#/components/schemas/DeletedRecord'}
              - {$ref: '#/components/schemas/RecordError'}
      additionalProperties: false
    Parent:
      type: object
      required: [recordName]
      properties:
        recordName: {$ref: '#/components/schemas/RecordName'}
        zoneID:
          description: The zone of the record that names this one; another one is BAD_REQUEST.
          $ref: '#/components/schemas/ZoneID'
    GivenFields:
      type: object
      propertyNames: {$ref: '#/components/schemas/FieldName'}
      additionalProperties: {$ref: '#/components/schemas/Field'}
    GivenRecord:
      type: object
      properties:
        recordName: {$ref: '#/components/schemas/RecordName'}
        recordType: {$ref: '#/components/schemas/RecordType'}
        recordChangeTag: {type: string}
        fields: {$ref: '#/components/schemas/GivenFields'}
        parent: {oneOf: [{$ref: '#/components/schemas/Parent'}, {type: 'null'}]}
        share:
          description: The share of this record that the same request makes; otherwise it is not looked at.
          oneOf: [{$ref: '#/components/schemas/Parent'}, {type: 'null'}]
        forRecord:
          description: Of a share; absent means the whole zone.
          $ref: '#/components/schemas/Parent'
        publicPermission:
          description: Of a share; absent it stays as it is, and is NONE for a new one.
          $ref: '#/components/schemas/GivenPermission'
        participants:
          description: Of a share; they take the place of those before. A hundred beside the owner.
          type: array
          maxItems: 101
          items: {$ref: '#/components/schemas/GivenParticipant'}
    RecordOperation:
      type: object
      required: [operationType, record]
      properties:
        record: {$ref: '#/components/schemas/GivenRecord'}
        desiredKeys: {$ref: '#/components/schemas/DesiredKeys'}
        zoneID:
          description: The zone of the request; another one is BAD_REQUEST.
          $ref: '#/components/schemas/ZoneID'
      oneOf:
        - description: Saves a new record; a name is made where there is none.
          properties:
            operationType: {const: create}
            record: {required: [recordType]}
        - description: |-
            update changes the fields that are given, replace takes the others away. Both need the tag of the record as it
            was last seen.
          properties:
            operationType: {enum: [update, replace]}
            record: {required: [recordName, recordChangeTag]}
        - description: As update and replace, whatever was there; recordType is needed where nothing was.
          properties:
            operationType: {enum: [forceUpdate, forceReplace]}
        - properties:
            operationType: {const: delete}
            record: {required: [recordName, recordChangeTag]}
        - properties:
            operationType: {const: forceDelete}
            record: {required: [recordName]}
    ModifyRecordsRequest:
      type: object
      required: [operations]
      properties:
        operations:
          type: array
          maxItems: 200
          items: {$ref: '#/components/schemas/RecordOperation'}
        zoneID: {$ref: '#/components/schemas/ZoneID'}
        atomic: {type: boolean, default: true, description: 'All or nothing; in custom zones only'}
        desiredKeys: {$ref: '#/components/schemas/DesiredKeys'}
        numbersAsStrings: {type: boolean, default: false}
    LookUpRecordsRequest:
      type: object
      required: [records]
      properties:
        records:
          type: array
          maxItems: 200
          items:
            type: object
            required: [recordName]
            properties:
              recordName: {$ref: '#/components/schemas/RecordName'}
              desiredKeys: {$ref: '#/components/schemas/DesiredKeys'}
        zoneID: {$ref: '#/components/schemas/ZoneID'}
        desiredKeys: {$ref: '#/components/schemas/DesiredKeys'}
        numbersAsStrings: {type: boolean, default: false}

    # Queries

    Comparator:
      type: string
      enum:
        - EQUALS
        - NOT_EQUALS
        - LESS_THAN
        - LESS_THAN_OR_EQUALS
        - GREATER_THAN
        - GREATER_THAN_OR_EQUALS
        - NEAR
        - CONTAINS_ALL_TOKENS
        - CONTAINS_ANY_TOKENS
        - IN
        - NOT_IN
        - BEGINS_WITH
        - NOT_BEGINS_WITH
        - LIST_CONTAINS
        - NOT_LIST_CONTAINS
        - LIST_CONTAINS_ANY
        - NOT_LIST_CONTAINS_ANY
        - LIST_CONTAINS_ALL
        - NOT_LIST_CONTAINS_ALL
        - LIST_MEMBER_BEGINS_WITH
        - NOT_LIST_MEMBER_BEGINS_WITH
    Filter:
      type: object
      description: All filters of a query have to hold. A filter of words may leave the field out and means all texts then.
      required: [comparator, fieldValue]
      properties:
        comparator: {$ref: '#/components/schemas/Comparator'}
        fieldName: {type: string, pattern: '^[A-Za-z][A-Za-z0-9_]*$|^___', maxLength: 255}
        systemFieldName: {$ref: '#/components/schemas/SystemFieldName'}
        fieldValue: {$ref: '#/components/schemas/ComparedField'}
        distance: {type: number, minimum: 0, description: 'Metres; with NEAR, which needs it'}
      anyOf:
        - required: [fieldName]
        - required: [systemFieldName]
        - properties: {comparator: {enum: [CONTAINS_ALL_TOKENS, CONTAINS_ANY_TOKENS]}}
    Sort:
      type: object
      properties:
        fieldName: {type: string, pattern: '^[A-Za-z][A-Za-z0-9_]*$|^___', maxLength: 255}
        systemFieldName: {$ref: '#/components/schemas/SystemFieldName'}
        ascending: {type: boolean, default: true}
        relativeLocation:
          description: The order is by the distance from here.
          anyOf:
            - {$ref: '#/components/schemas/Location'}
            - type: object
              required: [value]
              properties: {value: {$ref: '#/components/schemas/Location'}}
      anyOf:
        - required: [fieldName]
        - required: [systemFieldName]
    Query:
      type: object
      required: [recordType]
      properties:
        recordType: {$ref: '#/components/schemas/RecordType'}
        filterBy:
          description: A list; a lone filter counts as a list of one.
          oneOf:
            - type: array
              maxItems: 100
              items: {$ref: '#/components/schemas/Filter'}
            - {$ref: '#/components/schemas/Filter'}
        predicate: {type: string, maxLength: 16384, description: 'In the format of NSPredicate'}
        predicateArguments: {type: array, maxItems: 1000, description: 'What %@ and %K of the predicate stand for'}
        sortBy:
          oneOf:
            - type: array
              maxItems: 10
              items: {$ref: '#/components/schemas/Sort'}
            - {$ref: '#/components/schemas/Sort'}
    QueryRequest:
      type: object
      required: [query]
      properties:
        query: {$ref: '#/components/schemas/Query'}
        zoneID: {$ref: '#/components/schemas/ZoneID'}
        zoneWide: {type: boolean, default: false, description: 'All zones; ignored where there is a zoneID'}
        resultsLimit: {$ref: '#/components/schemas/ResultsLimit'}
        continuationMarker: {type: string}
        desiredKeys: {$ref: '#/components/schemas/DesiredKeys'}
        numbersAsStrings: {type: boolean, default: false}
    QueryAnswer:
      type: object
      required: [records]
      properties:
        records:
          type: array
          maxItems: 200
          items: {$ref: '#/components/schemas/Record'}
        continuationMarker:
          description: Absent at the end.
          $ref: '#/components/schemas/Token'
      additionalProperties: false

    # Zones and feeds

    Zone:
      type: object
      required: [zoneID, atomic, isEligibleForZoneShare, isEligibleForHierarchicalShare]
      properties:
        zoneID: {$ref: '#/components/schemas/AnsweredZoneID'}
        atomic: {type: boolean}
        isEligibleForZoneShare: {type: boolean}
        isEligibleForHierarchicalShare: {type: boolean}
        syncToken: {$ref: '#/components/schemas/Token'}
        deleted: {const: true}
      additionalProperties: false
    ZonesAnswer:
      type: object
      required: [zones]
      properties:
        zones:
          type: array
          items:
            oneOf:
              - {$ref: '#/components/schemas/Zone'}
              - {$ref: '#/components/schemas/ZoneError'}
      additionalProperties: false
    LookUpZonesRequest:
      type: object
      required: [zones]
      properties:
        zones:
          type: array
          maxItems: 200
          items:
            anyOf:
              - {$ref: '#/components/schemas/ZoneID'}
              - {$ref: '#/components/schemas/GivenZone'}
    GivenZone:
      type: object
      required: [zoneID]
      properties:
        zoneID: {$ref: '#/components/schemas/ZoneID'}
    ModifyZonesRequest:
      type: object
      required: [operations]
      properties:
        operations:
          type: array
          maxItems: 200
          items:
            type: object
            required: [operationType, zone]
            properties:
              operationType: {type: string, enum: [create, delete]}
              zone: {$ref: '#/components/schemas/GivenZone'}
    DatabaseChangesRequest:
      type: object
      properties:
        syncToken: {type: string}
        resultsLimit: {$ref: '#/components/schemas/ResultsLimit'}
    DatabaseChangesAnswer:
      type: object
      required: [zones, syncToken, moreComing]
      properties:
        zones:
          type: array
          maxItems: 200
          items: {$ref: '#/components/schemas/Zone'}
        syncToken: {$ref: '#/components/schemas/Token'}
        moreComing: {type: boolean}
      additionalProperties: false
    MetaChangesRequest:
      type: object
      properties:
        metaSyncToken: {type: string}
        resultsLimit: {$ref: '#/components/schemas/ResultsLimit'}
    MetaChangesAnswer:
      type: object
      required: [zones, metaSyncToken, moreComing]
      properties:
        zones:
          type: array
          maxItems: 200
          items: {$ref: '#/components/schemas/Zone'}
        metaSyncToken: {$ref: '#/components/schemas/Token'}
        moreComing: {type: boolean}
      additionalProperties: false
    ZoneFeedDefaults:
      type: object
      properties:
        resultsLimit: {$ref: '#/components/schemas/ResultsLimit'}
        desiredKeys: {$ref: '#/components/schemas/DesiredKeys'}
        desiredRecordTypes:
          type: array
          items: {$ref: '#/components/schemas/RecordType'}
        reverse: {type: boolean, default: false}
        numbersAsStrings: {type: boolean, default: false}
    ZoneFeedRequest:
      allOf:
        - {$ref: '#/components/schemas/ZoneFeedDefaults'}
        - type: object
          required: [zoneID]
          properties:
            zoneID: {$ref: '#/components/schemas/ZoneID'}
            syncToken: {type: string}
    ZoneChangesRequest:
      description: Members of the request are the defaults of its zones.
      allOf:
        - {$ref: '#/components/schemas/ZoneFeedDefaults'}
        - type: object
          required: [zones]
          properties:
            zones:
              type: array
              maxItems: 200
              items: {$ref: '#/components/schemas/ZoneFeedRequest'}
    FeedRecords:
      type: array
      maxItems: 200
      items:
        oneOf:
          - {$ref: '#/components/schemas/Record'}
          - {$ref: '#/components/schemas/Tombstone'}
    ZoneChangesAnswer:
      type: object
      required: [zones]
      properties:
        zones:
          type: array
          maxItems: 200
          items:
            oneOf:
              - type: object
                required: [zoneID, records, syncToken, moreComing]
                properties:
                  zoneID: {$ref: '#/components/schemas/AnsweredZoneID'}
                  records: {$ref: '#/components/schemas/FeedRecords'}
                  syncToken: {$ref: '#/components/schemas/Token'}
                  moreComing: {type: boolean}
                additionalProperties: false
              - {$ref: '#/components/schemas/ZoneError'}
      additionalProperties: false
    RecordChangesRequest: {$ref: '#/components/schemas/ZoneFeedRequest'}
    RecordChangesAnswer:
      type: object
      required: [records, syncToken, moreComing]
      properties:
        records: {$ref: '#/components/schemas/FeedRecords'}
        syncToken: {$ref: '#/components/schemas/Token'}
        moreComing: {type: boolean}
      additionalProperties: false

    # Subscriptions

    SubscriptionOperation:
      type: object
      required: [operationType, subscription]
      oneOf:
        - properties:
            operationType: {enum: [create, update, test]}
            subscription: {$ref: '#/components/schemas/GivenSubscription'}
        - properties:
            operationType: {const: delete}
            subscription:
              type: object
              required: [subscriptionID]
              properties: {subscriptionID: {$ref: '#/components/schemas/SubscriptionID'}}
    GivenSubscription:
      type: object
      required: [subscriptionType, notificationInfo]
      oneOf:
        - description: query
          required: [query, firesOn]
          properties:
            subscriptionType: {type: string, enum: [query, QUERY]}
            zoneID: {$ref: '#/components/schemas/ZoneID'}
            zoneWide: {type: boolean, description: 'Wins over zoneID. Without both it is for all zones'}
            query: {$ref: '#/components/schemas/Query'}
            firesOn: {$ref: '#/components/schemas/FiresOn'}
            firesOnce: {type: boolean, default: false}
            changedKeys: {$ref: '#/components/schemas/ChangedKeys'}
        - description: zone
          required: [zoneID]
          properties:
            subscriptionType: {type: string, enum: [zone, ZONE, recordZone, RECORD_ZONE]}
            zoneID: {$ref: '#/components/schemas/ZoneID'}
            recordType: {$ref: '#/components/schemas/RecordType'}
        - description: database
          properties:
            subscriptionType: {type: string, enum: [database, DATABASE]}
            recordType: {$ref: '#/components/schemas/RecordType'}
        - description: database, in the words of clients without the type
          required: [zoneWide]
          not: {required: [zoneID]}
          properties:
            subscriptionType: {type: string, enum: [zone, ZONE, recordZone, RECORD_ZONE]}
            zoneWide: {const: true}
            recordType: {$ref: '#/components/schemas/RecordType'}
      properties:
        subscriptionID: {$ref: '#/components/schemas/SubscriptionID'}
        notificationInfo: {$ref: '#/components/schemas/GivenNotificationInfo'}
        startingFrom:
          description: The place in the past that a new subscription begins from
          oneOf:
            - {$ref: '#/components/schemas/Milliseconds'}
            - {type: string, minLength: 1, description: "'now', as when absent, or a change token of a device of the user's"}
    FiresOn:
      type: array
      minItems: 1
      items: {type: string, enum: [create, update, delete, enter, leave]}
    ChangedKeys:
      type: array
      maxItems: 20
      items: {$ref: '#/components/schemas/FieldName'}
    GivenNotificationInfo:
      type: object
      properties:
        alertBody: {$ref: '#/components/schemas/NotificationText'}
        alertLocalizationKey: {$ref: '#/components/schemas/NotificationText'}
        alertLocalizationArgs: {$ref: '#/components/schemas/LocalizationArgs'}
        title: {$ref: '#/components/schemas/NotificationText'}
        titleLocalizationKey: {$ref: '#/components/schemas/NotificationText'}
        titleLocalizationArgs: {$ref: '#/components/schemas/LocalizationArgs'}
        subtitle: {$ref: '#/components/schemas/NotificationText'}
        subtitleLocalizationKey: {$ref: '#/components/schemas/NotificationText'}
        subtitleLocalizationArgs: {$ref: '#/components/schemas/LocalizationArgs'}
        alertActionLocalizationKey: {$ref: '#/components/schemas/NotificationText'}
        alertLaunchImage: {$ref: '#/components/schemas/NotificationText'}
        soundName: {$ref: '#/components/schemas/NotificationText'}
        category: {$ref: '#/components/schemas/NotificationText'}
        collapseIDKey: {$ref: '#/components/schemas/NotificationText'}
        additionalFields: {$ref: '#/components/schemas/AdditionalFields'}
        desiredKeys: {$ref: '#/components/schemas/AdditionalFields'}
        shouldBadge: {type: boolean, default: false}
        shouldSendContentAvailable: {type: boolean, default: false}
        shouldSendMutableContent: {type: boolean, default: false}
    NotificationText: {type: string, maxLength: 4096}
    LocalizationArgs:
      type: array
      maxItems: 10
      items: {$ref: '#/components/schemas/FieldName'}
    AdditionalFields:
      type: array
      maxItems: 3
      items: {$ref: '#/components/schemas/FieldName'}
    Subscription:
      oneOf:
        - type: object
          required: [subscriptionID, subscriptionType, query, firesOn, firesOnce, zoneWide, notificationInfo]
          properties:
            subscriptionID: {$ref: '#/components/schemas/SubscriptionID'}
            subscriptionType: {const: query}
            zoneID: {$ref: '#/components/schemas/AnsweredZoneID'}
            zoneWide: {type: boolean}
            query: {$ref: '#/components/schemas/AnsweredQuery'}
            firesOn: {$ref: '#/components/schemas/FiresOn'}
            firesOnce: {type: boolean}
            changedKeys: {$ref: '#/components/schemas/ChangedKeys'}
            notificationInfo: {$ref: '#/components/schemas/NotificationInfo'}
            startingFrom: {$ref: '#/components/schemas/Milliseconds'}
          additionalProperties: false
        - type: object
          required: [subscriptionID, subscriptionType, zoneID, notificationInfo]
          properties:
            subscriptionID: {$ref: '#/components/schemas/SubscriptionID'}
            subscriptionType: {const: zone}
            zoneID: {$ref: '#/components/schemas/AnsweredZoneID'}
            recordType: {$ref: '#/components/schemas/RecordType'}
            notificationInfo: {$ref: '#/components/schemas/NotificationInfo'}
            startingFrom: {$ref: '#/components/schemas/Milliseconds'}
          additionalProperties: false
        - type: object
          required: [subscriptionID, subscriptionType, notificationInfo]
          properties:
            subscriptionID: {$ref: '#/components/schemas/SubscriptionID'}
            subscriptionType: {const: database}
            recordType: {$ref: '#/components/schemas/RecordType'}
            notificationInfo: {$ref: '#/components/schemas/NotificationInfo'}
            startingFrom: {$ref: '#/components/schemas/Milliseconds'}
          additionalProperties: false
    TestedSubscription:
      type: object
      required: [tested, subscription, predicateCost, changesExamined, changesLeftOut, changesMatched, matches]
      properties:
        tested: {const: true}
        subscription: {type: object, description: 'As it would be saved; without an ID when none was given'}
        predicateCost: {type: integer, minimum: 0, maximum: 10000}
        changesExamined: {type: integer, minimum: 0, maximum: 1000}
        changesLeftOut: {type: integer, minimum: 0, maximum: 1000, description: 'Older ones of the latest changes, which would have been too much work'}
        changesMatched: {type: integer, minimum: 0, maximum: 1000}
        matches:
          type: array
          maxItems: 100
          items:
            type: object
            required: [change, changed, zoneID]
            properties:
              change: {type: string, enum: [recordCreated, recordUpdated, recordDeleted, zoneCreated, zoneDeleted]}
              changed: {$ref: '#/components/schemas/Milliseconds'}
              recordName: {$ref: '#/components/schemas/RecordName'}
              recordType: {$ref: '#/components/schemas/RecordType'}
              zoneID: {$ref: '#/components/schemas/AnsweredZoneID'}
            additionalProperties: false
      additionalProperties: false
    AnsweredQuery:
      type: object
      required: [recordType, filterBy]
      properties:
        recordType: {$ref: '#/components/schemas/RecordType'}
        filterBy:
          type: array
          maxItems: 100
          items:
            type: object
            required: [comparator, fieldValue]
            properties:
              comparator: {$ref: '#/components/schemas/Comparator'}
              fieldName: {$ref: '#/components/schemas/FieldName'}
              systemFieldName: {$ref: '#/components/schemas/SystemFieldName'}
              fieldValue: {$ref: '#/components/schemas/AnsweredField'}
              distance: {type: number, minimum: 0}
            additionalProperties: false
        predicate: {type: string, minLength: 1}
        predicateArguments: {type: array, maxItems: 1000}
      additionalProperties: false
    NotificationInfo:
      type: object
      required: [shouldBadge]
      properties:
        alertBody: {$ref: '#/components/schemas/NotificationText'}
        alertLocalizationKey: {$ref: '#/components/schemas/NotificationText'}
        alertLocalizationArgs: {$ref: '#/components/schemas/LocalizationArgs'}
        title: {$ref: '#/components/schemas/NotificationText'}
        titleLocalizationKey: {$ref: '#/components/schemas/NotificationText'}
        titleLocalizationArgs: {$ref: '#/components/schemas/LocalizationArgs'}
        subtitle: {$ref: '#/components/schemas/NotificationText'}
        subtitleLocalizationKey: {$ref: '#/components/schemas/NotificationText'}
        subtitleLocalizationArgs: {$ref: '#/components/schemas/LocalizationArgs'}
        alertActionLocalizationKey: {$ref: '#/components/schemas/NotificationText'}
        alertLaunchImage: {$ref: '#/components/schemas/NotificationText'}
        soundName: {$ref: '#/components/schemas/NotificationText'}
        category: {$ref: '#/components/schemas/NotificationText'}
        collapseIDKey: {$ref: '#/components/schemas/NotificationText'}
        additionalFields: {$ref: '#/components/schemas/AdditionalFields'}
        shouldBadge: {type: boolean}
        shouldSendContentAvailable: {const: true}
        shouldSendMutableContent: {const: true}
      additionalProperties: false
    DeletedSubscription:
      type: object
      required: [subscriptionID, deleted]
      properties:
        subscriptionID: {$ref: '#/components/schemas/SubscriptionID'}
        deleted: {const: true}
      additionalProperties: false
    SubscriptionsAnswer:
      type: object
      required: [subscriptions]
      properties:
        subscriptions:
          type: array
          items:
            oneOf:
              - {$ref: '#/components/schemas/Subscription'}
              - {$ref: '#/components/schemas/DeletedSubscription'}
              - {$ref: '#/components/schemas/TestedSubscription'}
              - {$ref: '#/components/schemas/SubscriptionError'}
      additionalProperties: false
    ModifySubscriptionsRequest:
      type: object
      required: [operations]
      properties:
        operations:
          type: array
          maxItems: 200
          items: {$ref: '#/components/schemas/SubscriptionOperation'}
    LookUpSubscriptionsRequest:
      type: object
      required: [subscriptions]
      properties:
        subscriptions:
          type: array
          maxItems: 200
          items:
            type: object
            required: [subscriptionID]
            properties: {subscriptionID: {$ref: '#/components/schemas/SubscriptionID'}}

    # Sharing

    Permission: {type: string, enum: [NONE, READ_ONLY, READ_WRITE]}
    GivenPermission:
      description: UNKNOWN leaves what there is.
      type: string
      enum: [NONE, READ_ONLY, READ_WRITE, UNKNOWN]
    ParticipantType: {type: string, enum: [OWNER, ADMINISTRATOR, USER, PUBLIC_USER]}
    AcceptanceStatus: {type: string, enum: [INVITED, ACCEPTED]}
    NamedUser:
      type: object
      required: [userRecordName]
      properties:
        userRecordName: {$ref: '#/components/schemas/UserRecordName'}
        nameComponents: {$ref: '#/components/schemas/NameComponents'}
      additionalProperties: false
    NameComponents:
      description: The names that are known, of which one at least is.
      type: object
      properties: {givenName: {type: string}, familyName: {type: string}}
      additionalProperties: false
    Participant:
      type: object
      required: [userIdentity, type, permission, acceptanceStatus]
      properties:
        userIdentity:
          type: object
          required: [userRecordName]
          properties:
            userRecordName: {$ref: '#/components/schemas/UserRecordName'}
            nameComponents: {$ref: '#/components/schemas/NameComponents'}
            lookupInfo:
              description: Of one who was invited by address.
              type: object
              required: [emailAddress]
              properties: {emailAddress: {type: string}}
              additionalProperties: false
          additionalProperties: false
        type: {$ref: '#/components/schemas/ParticipantType'}
        permission: {$ref: '#/components/schemas/Permission'}
        acceptanceStatus: {$ref: '#/components/schemas/AcceptanceStatus'}
      additionalProperties: false
    GivenParticipant:
      description: The owner may stand among them, as answered, and is passed over; known by name, whatever the type says.
      type: object
      properties:
        type:
          description: |-
            ADMINISTRATOR and USER make the participant that. Absent, and with any other word, it stays as it is; somebody new is USER.
          type: string
          enum: [OWNER, ADMINISTRATOR, USER, PUBLIC_USER, UNKNOWN]
        permission:
          description: Absent it stays as it is; somebody new has READ_ONLY.
          $ref: '#/components/schemas/GivenPermission'
        acceptanceStatus:
          description: REMOVED takes the participant out; any other word changes nothing.
          type: string
          enum: [INVITED, ACCEPTED, REMOVED, UNKNOWN]
        userIdentity:
          type: object
          properties:
            userRecordName: {$ref: '#/components/schemas/UserRecordName'}
            lookupInfo:
              type: object
              properties:
                userRecordName: {$ref: '#/components/schemas/UserRecordName'}
                emailAddress: {type: string}
    ShortGUIDsRequest:
      type: object
      required: [shortGUIDs]
      properties:
        shortGUIDs:
          type: array
          maxItems: 200
          items:
            type: object
            required: [value]
            properties:
              value: {type: string}
              shouldFetchRootRecord: {type: boolean, default: false}
              rootRecordDesiredKeys: {$ref: '#/components/schemas/DesiredKeys'}
    ShortGUID:
      type: object
      required: [value]
      properties: {value: {type: string}}
      additionalProperties: false
    ResolvedShare:
      type: object
      required: [shortGUID, zoneID, databaseScope, share, ownerIdentity, participantType, participantStatus, participantPermission]
      properties:
        shortGUID: {$ref: '#/components/schemas/ShortGUID'}
        zoneID: {$ref: '#/components/schemas/AnsweredZoneID'}
        databaseScope: {const: SHARED}
        shareURL: {description: The address of the share's page., type: string, format: uri}
        share: {$ref: '#/components/schemas/Record'}
        ownerIdentity: {$ref: '#/components/schemas/NamedUser'}
        participantType:
          description: The caller's part, or the one that accepting by publicPermission would give; likewise what follows.
          $ref: '#/components/schemas/ParticipantType'
        participantStatus: {$ref: '#/components/schemas/AcceptanceStatus'}
        participantPermission: {$ref: '#/components/schemas/Permission'}
        rootRecordName: {$ref: '#/components/schemas/RecordName'}
        rootRecord:
          description: Where shouldFetchRootRecord asks for it, for the owner and for whoever has accepted; before that nobody reads it.
          $ref: '#/components/schemas/Record'
      additionalProperties: false
    ShortGUIDsAnswer:
      type: object
      required: [results]
      properties:
        results:
          type: array
          maxItems: 200
          items:
            oneOf:
              - {$ref: '#/components/schemas/ResolvedShare'}
              - {$ref: '#/components/schemas/ShareError'}
      additionalProperties: false

    # Users

    User:
      type: object
      required: [userRecordName, nameComponents]
      properties:
        userRecordName: {$ref: '#/components/schemas/UserRecordName'}
        firstName: {type: string}
        lastName: {type: string}
        nameComponents:
          type: object
          properties:
            givenName: {type: string}
            familyName: {type: string}
          additionalProperties: false
        emailAddress: {type: string, description: 'To the user, and to those who looked for it'}
        isDiscoverable: {type: boolean, description: 'To the user: whether others find this one'}
        lookupInfo: {$ref: '#/components/schemas/AnsweredLookupInfo'}
      additionalProperties: false
    DiscoverableRequest:
      type: object
      required: [isDiscoverable]
      properties:
        isDiscoverable: {type: boolean}
      additionalProperties: true
    AnsweredLookupInfo:
      type: object
      properties:
        emailAddress: {type: string}
        phoneNumber: {type: string}
        userRecordName: {$ref: '#/components/schemas/UserRecordName'}
      additionalProperties: false
    UsersAnswer:
      type: object
      required: [users]
      properties:
        users:
          type: array
          items:
            oneOf:
              - {$ref: '#/components/schemas/User'}
              - {$ref: '#/components/schemas/UserError'}
      additionalProperties: false
    DiscoverUsersRequest:
      type: object
      required: [lookupInfos]
      properties:
        lookupInfos:
          type: array
          maxItems: 200
          items:
            type: object
            properties:
              emailAddress: {type: string}
              phoneNumber: {type: string}
              userRecordName: {$ref: '#/components/schemas/UserRecordName'}
            anyOf:
              - required: [emailAddress]
              - required: [phoneNumber]
              - required: [userRecordName]
    LookUpUsersByEmailRequest:
      type: object
      required: [users]
      properties:
        users:
          type: array
          maxItems: 200
          items:
            type: object
            required: [emailAddress]
            properties: {emailAddress: {type: string}}
    LookUpContactsRequest:
      type: object
      required: [contacts]
      properties:
        contacts:
          type: array
          maxItems: 200
          items:
            type: object
            properties:
              emailAddress: {type: string}
              phoneNumber: {type: string}
              userRecordName: {$ref: '#/components/schemas/UserRecordName'}
            anyOf:
              - required: [emailAddress]
              - required: [phoneNumber]
              - required: [userRecordName]
    LookUpUsersByIDRequest:
      type: object
      required: [users]
      properties:
        users:
          type: array
          maxItems: 200
          items:
            type: object
            required: [userRecordName]
            properties: {userRecordName: {$ref: '#/components/schemas/UserRecordName'}}

    # Assets

    RequestUploadsRequest:
      type: object
      required: [tokens]
      properties:
        zoneID: {$ref: '#/components/schemas/ZoneID'}
        tokens:
          type: array
          minItems: 1
          maxItems: 200
          items:
            type: object
            required: [recordType, fieldName]
            properties:
              recordName: {$ref: '#/components/schemas/RecordName'}
              recordType: {$ref: '#/components/schemas/RecordType'}
              fieldName: {$ref: '#/components/schemas/FieldName'}
    RequestUploadsAnswer:
      type: object
      required: [tokens]
      properties:
        tokens:
          type: array
          maxItems: 200
          items:
            type: object
            required: [recordName, fieldName, url]
            properties:
              recordName: {$ref: '#/components/schemas/RecordName'}
              fieldName: {$ref: '#/components/schemas/FieldName'}
              url: {type: string, pattern: '^https?://'}
            additionalProperties: false
      additionalProperties: false
    UploadedAsset:
      type: object
      required: [fileChecksum, size, receipt, referenceChecksum, wrappingKey]
      properties:
        fileChecksum: {type: string, minLength: 1}
        size: {type: integer, minimum: 0}
        receipt: {type: string}
        referenceChecksum: {type: string, minLength: 1}
        wrappingKey: {type: string, minLength: 1}
      additionalProperties: false
    UploadAnswer:
      type: object
      required: [singleFile]
      properties: {singleFile: {$ref: '#/components/schemas/UploadedAsset'}}
      additionalProperties: false
    RereferenceAssetsRequest:
      type: object
      required: [assets]
      properties:
        zoneID: {$ref: '#/components/schemas/ZoneID'}
        targetZoneID: {$ref: '#/components/schemas/ZoneID'}
        assets:
          type: array
          maxItems: 200
          items:
            type: object
            required: [recordName, fieldName]
            properties:
              recordName: {$ref: '#/components/schemas/RecordName'}
              fieldName: {$ref: '#/components/schemas/FieldName'}
    RereferenceAssetsAnswer:
      type: object
      required: [assets]
      properties:
        assets:
          type: array
          items:
            oneOf:
              - {$ref: '#/components/schemas/UploadedAsset'}
              - {$ref: '#/components/schemas/AssetError'}
      additionalProperties: false

    # Devices and notifications

    RegisterDeviceRequest:
      type: object
      properties:
        deviceID: {$ref: '#/components/schemas/DeviceID'}
        name: {type: string, maxLength: 255}
        platform: {type: string, maxLength: 255}
    Device:
      type: object
      required: [deviceID, epoch, name, platform, registered]
      properties:
        deviceID: {$ref: '#/components/schemas/DeviceID'}
        epoch: {type: integer}
        name: {type: string, maxLength: 255}
        platform: {type: string, maxLength: 255}
        registered: {$ref: '#/components/schemas/Milliseconds'}
      additionalProperties: false
    ListedDevice:
      type: object
      required: [deviceID, epoch, name, platform, registered, lastSeen]
      properties:
        deviceID: {$ref: '#/components/schemas/DeviceID'}
        epoch: {type: integer}
        name: {type: string, maxLength: 255}
        platform: {type: string, maxLength: 255}
        registered: {$ref: '#/components/schemas/Milliseconds'}
        lastSeen: {$ref: '#/components/schemas/Milliseconds'}
        expires: {$ref: '#/components/schemas/Milliseconds'}
      additionalProperties: false
    DevicesAnswer:
      type: object
      required: [devices]
      properties:
        devices:
          type: array
          maxItems: 100
          items: {$ref: '#/components/schemas/ListedDevice'}
      additionalProperties: false
    UnregisterDeviceRequest:
      type: object
      required: [deviceID]
      properties: {deviceID: {$ref: '#/components/schemas/DeviceID'}}
    UnregisterDeviceAnswer:
      type: object
      required: [deviceID, deleted]
      properties:
        deviceID: {$ref: '#/components/schemas/DeviceID'}
        deleted: {const: true}
      additionalProperties: false
    ModifyBadgeRequest:
      type: object
      required: [deviceID, badgeValue]
      properties:
        deviceID: {$ref: '#/components/schemas/DeviceID'}
        badgeValue: {type: integer, minimum: 0, maximum: 9223372036854775807}
    Badge:
      type: object
      required: [badgeValue]
      properties: {badgeValue: {type: integer, minimum: 0}}
      additionalProperties: false
    NotificationChangesRequest:
      type: object
      required: [deviceID]
      properties:
        deviceID: {$ref: '#/components/schemas/DeviceID'}
        serverChangeToken: {type: string}
        resultsLimit: {$ref: '#/components/schemas/ResultsLimit'}
        waitSeconds: {type: integer, minimum: 0, maximum: 60, default: 0}
    NotificationChangesAnswer:
      type: object
      required: [notifications, serverChangeToken, moreComing]
      properties:
        notifications:
          type: array
          maxItems: 200
          items: {$ref: '#/components/schemas/Notification'}
        serverChangeToken: {$ref: '#/components/schemas/Token'}
        moreComing: {type: boolean}
      additionalProperties: false
    Notification:
      oneOf:
        - type: object
          required:
            - notificationID
            - notificationType
            - subscriptionID
            - subscriptionOwnerUserRecordName
            - queryNotificationReason
            - recordName
            - recordType
            - recordFields
            - zoneID
            - databaseScope
            - isPruned
            - pushPayload
            - changed
          properties:
            notificationID: {type: string, minLength: 1}
            notificationType: {const: query}
            subscriptionID: {$ref: '#/components/schemas/SubscriptionID'}
            subscriptionOwnerUserRecordName: {$ref: '#/components/schemas/UserRecordName'}
            queryNotificationReason: {type: string, enum: [recordCreated, recordUpdated, recordDeleted]}
            recordName: {$ref: '#/components/schemas/RecordName'}
            recordType: {$ref: '#/components/schemas/RecordType'}
            recordFields: {$ref: '#/components/schemas/AnsweredFields'}
            zoneID: {$ref: '#/components/schemas/AnsweredZoneID'}
            databaseScope: {type: string, enum: [public, private, shared]}
            alertBody: {$ref: '#/components/schemas/NotificationText'}
            alertLocalizationKey: {$ref: '#/components/schemas/NotificationText'}
            alertLocalizationArgs: {$ref: '#/components/schemas/LocalizedValues'}
            title: {$ref: '#/components/schemas/NotificationText'}
            titleLocalizationKey: {$ref: '#/components/schemas/NotificationText'}
            titleLocalizationArgs: {$ref: '#/components/schemas/LocalizedValues'}
            subtitle: {$ref: '#/components/schemas/NotificationText'}
            subtitleLocalizationKey: {$ref: '#/components/schemas/NotificationText'}
            subtitleLocalizationArgs: {$ref: '#/components/schemas/LocalizedValues'}
            alertActionLocalizationKey: {$ref: '#/components/schemas/NotificationText'}
            alertLaunchImage: {$ref: '#/components/schemas/NotificationText'}
            soundName: {$ref: '#/components/schemas/NotificationText'}
            category: {$ref: '#/components/schemas/NotificationText'}
            collapseIDKey: {$ref: '#/components/schemas/NotificationText'}
            contentAvailable: {const: true}
            mutableContent: {const: true}
            badge: {type: integer, minimum: 0}
            isPruned: {const: false}
            isBackfilled: {const: true}
            pushPayload: {$ref: '#/components/schemas/PushPayload'}
            changed: {$ref: '#/components/schemas/Milliseconds'}
          additionalProperties: false
        - type: object
          required:
            - notificationID
            - notificationType
            - subscriptionID
            - subscriptionOwnerUserRecordName
            - zoneID
            - databaseScope
            - isPruned
            - pushPayload
            - changed
          properties:
            notificationID: {type: string, minLength: 1}
            notificationType: {type: string, enum: [recordZone, database]}
            subscriptionID: {$ref: '#/components/schemas/SubscriptionID'}
            subscriptionOwnerUserRecordName: {$ref: '#/components/schemas/UserRecordName'}
            zoneID: {$ref: '#/components/schemas/AnsweredZoneID'}
            databaseScope: {type: string, enum: [private, shared]}
            alertBody: {$ref: '#/components/schemas/NotificationText'}
            alertLocalizationKey: {$ref: '#/components/schemas/NotificationText'}
            title: {$ref: '#/components/schemas/NotificationText'}
            titleLocalizationKey: {$ref: '#/components/schemas/NotificationText'}
            subtitle: {$ref: '#/components/schemas/NotificationText'}
            subtitleLocalizationKey: {$ref: '#/components/schemas/NotificationText'}
            alertActionLocalizationKey: {$ref: '#/components/schemas/NotificationText'}
            alertLaunchImage: {$ref: '#/components/schemas/NotificationText'}
            soundName: {$ref: '#/components/schemas/NotificationText'}
            category: {$ref: '#/components/schemas/NotificationText'}
            collapseIDKey: {$ref: '#/components/schemas/NotificationText'}
            contentAvailable: {const: true}
            mutableContent: {const: true}
            badge: {type: integer, minimum: 0}
            isPruned: {const: false}
            isBackfilled: {const: true}
            pushPayload: {$ref: '#/components/schemas/PushPayload'}
            changed: {$ref: '#/components/schemas/Milliseconds'}
          additionalProperties: false
        - type: object
          description: More subscriptions fired on a change than are told one by one; fetch what changed.
          required: [notificationID, notificationType, omittedCount, zoneID, databaseScope, changed]
          properties:
            notificationID: {type: string, minLength: 1}
            notificationType: {const: omitted}
            omittedCount: {type: integer, minimum: 1}
            queryNotificationReason: {type: string, enum: [recordCreated, recordUpdated, recordDeleted]}
            recordName: {$ref: '#/components/schemas/RecordName'}
            recordType: {$ref: '#/components/schemas/RecordType'}
            zoneID: {$ref: '#/components/schemas/AnsweredZoneID'}
            databaseScope: {type: string, enum: [public, private, shared]}
            changed: {$ref: '#/components/schemas/Milliseconds'}
          additionalProperties: false
        - type: object
          required: [notificationID, notificationType, changed]
          properties:
            notificationID: {type: string, minLength: 1}
            notificationType: {const: readNotification}
            changed: {$ref: '#/components/schemas/Milliseconds'}
          additionalProperties: false
    LocalizedValues:
      type: array
      maxItems: 10
      items: {$ref: '#/components/schemas/NotificationText'}
    PushPayload:
      type: object
      description: At most 4096 bytes; what is missing then is told by p.
      required: [aps, ck]
      properties:
        aps:
          type: object
          properties:
            alert:
              oneOf:
                - {$ref: '#/components/schemas/NotificationText'}
                - {$ref: '#/components/schemas/PushAlert'}
            badge: {type: integer, minimum: 0}
            sound: {$ref: '#/components/schemas/NotificationText'}
            category: {$ref: '#/components/schemas/NotificationText'}
            content-available: {const: 1}
            mutable-content: {const: 1}
          additionalProperties: false
        ck:
          type: object
          required: [ce, ckuserid]
          properties:
            ce: {const: 2}
            cid: {type: string}
            ckuserid: {$ref: '#/components/schemas/UserRecordName'}
            nid: {type: string, minLength: 1}
            p: {const: 1}
            aux: {type: object}
            qry: {$ref: '#/components/schemas/PushDetails'}
            fet: {$ref: '#/components/schemas/PushDetails'}
            met: {$ref: '#/components/schemas/PushDetails'}
          additionalProperties: false
      additionalProperties: false
    PushAlert:
      type: object
      properties:
        body: {$ref: '#/components/schemas/NotificationText'}
        title: {$ref: '#/components/schemas/NotificationText'}
        subtitle: {$ref: '#/components/schemas/NotificationText'}
        loc-key: {$ref: '#/components/schemas/NotificationText'}
        loc-args: {$ref: '#/components/schemas/LocalizedValues'}
        title-loc-key: {$ref: '#/components/schemas/NotificationText'}
        title-loc-args: {$ref: '#/components/schemas/LocalizedValues'}
        subtitle-loc-key: {$ref: '#/components/schemas/NotificationText'}
        subtitle-loc-args: {$ref: '#/components/schemas/LocalizedValues'}
        action-loc-key: {$ref: '#/components/schemas/NotificationText'}
        launch-image: {$ref: '#/components/schemas/NotificationText'}
      additionalProperties: false
    PushDetails:
      type: object
      required: [sid]
      properties:
        dbs: {type: integer, enum: [1, 2, 3], description: '1 private, 2 public, 3 shared'}
        fo: {type: integer, enum: [1, 2, 3], description: '1 created, 2 updated, 3 deleted'}
        rid: {$ref: '#/components/schemas/RecordName'}
        sid: {$ref: '#/components/schemas/SubscriptionID'}
        zid: {type: string}
        zoid: {type: string}
        af: {type: object, description: Additional fields as plain values}
      additionalProperties: false
    APNSEnvironment: {type: string, enum: [development, production]}
    ClientName: {type: string, maxLength: 255, pattern: '^[^\x00-\x1f\x7f]*$'}
    CreateTokenRequest:
      type: object
      required: [apnsEnvironment]
      properties:
        apnsEnvironment: {$ref: '#/components/schemas/APNSEnvironment'}
        clientId: {$ref: '#/components/schemas/ClientName'}
    CreateTokenAnswer:
      type: object
      required: [apnsEnvironment, apnsToken, webcourierURL]
      properties:
        apnsEnvironment: {$ref: '#/components/schemas/APNSEnvironment'}
        apnsToken: {type: string, minLength: 1}
        webcourierURL: {type: string, minLength: 1}
      additionalProperties: false
    RegisterTokenRequest:
      type: object
      required: [apnsEnvironment, apnsToken]
      properties:
        apnsEnvironment: {$ref: '#/components/schemas/APNSEnvironment'}
        apnsToken: {type: string}
        clientId: {$ref: '#/components/schemas/ClientName'}
    RegisterTokenAnswer: {type: object, additionalProperties: false}
    MarkReadRequest:
      type: object
      required: [deviceID, notificationIDs]
      properties:
        deviceID: {$ref: '#/components/schemas/DeviceID'}
        notificationIDs:
          type: array
          minItems: 1
          maxItems: 200
          items: {type: string}
    MarkReadAnswer:
      type: object
      required: [notifications]
      properties:
        notifications:
          type: array
          maxItems: 200
          items:
            oneOf:
              - type: object
                required: [notificationID]
                properties: {notificationID: {type: string}}
                additionalProperties: false
              - {$ref: '#/components/schemas/NotificationError'}
      additionalProperties: false

    # Sign-in

    SignInRequest:
      type: object
      properties:
        idToken: {type: string, description: 'An ID token of the issuer that the service knows'}
        user: {type: string, minLength: 1, maxLength: 255, description: 'A name, where development-sign-in is on'}
        keepSignedIn: {type: boolean, default: true, description: 'Whether the sign-in lasts longer than 30 minutes'}
      anyOf:
        - required: [idToken]
        - required: [user]
    SignOutRequest:
      type: object
      properties:
        everywhere: {type: boolean, description: 'Whether all sessions of the user end, and their web couriers'}
      additionalProperties: true
    SignOutAnswer:
      type: object
      required: [userRecordName, signedOut]
      properties:
        userRecordName: {$ref: '#/components/schemas/UserRecordName'}
        signedOut: {const: true}
      additionalProperties: false
    SignInAnswer:
      type: object
      required: [ckWebAuthToken, userRecordName, expires]
      properties:
        ckWebAuthToken: {type: string, minLength: 1}
        userRecordName: {$ref: '#/components/schemas/UserRecordName'}
        expires: {$ref: '#/components/schemas/Milliseconds'}
      additionalProperties: false

"""#
}
