import CloudJSON
import CloudModel
import Feeds
import HTTPServer
import Identity
import JSON
import RecordService
import TextForms
import Waiting

extension APICall {
    /// A request for new notifications of a feed.
    struct FeedQuestion: Sendable {
        var identity: FeedIdentity
        var token: String?
        var limit: Int
        var wait: Duration
        var wantsPayloads = true
    }

    func notificationChanges() async throws -> HTTPResponse {
        if let rested { return try await answer(rested) }
        let begun = scope.identity.now()
        var question = try await feedQuestion()
        // A waiting poll needs wakeups; without them the process answers with the present entries.
        guard question.wait > .zero, let news = scope.feeds.news else {
            return changes(
                try await scope.feeds.changes(
                    in: question.identity, after: question.token, limit: question.limit, waiting: .zero),
                question)
        }
        let reader: FeedReader
        do {
            reader = try await scope.feeds.reader(of: question.identity, after: question.token, mayWait: true)
        } catch {
            throw await reason(for: error, since: begun)
        }
        // The reader knows its place.
        question.token = nil
        let poll = HeldPoll(
            NotificationPoll(
                question: question, reader: reader, news: news, begun: begun,
                ends: session.map(scope.webAuthTokens.end)),
            wait: question.wait, alarms: works.alarms)
        return try await poll.begin { try await answer(poll) }
    }

    /// Answers a poll when there is something, or its time is over; it rests until then.
    private func answer(_ poll: HeldPoll<NotificationPoll>) async throws -> HTTPResponse {
        let subject = poll.subject
        do {
            if let page = try await poll.next() {
                // The reading may have taken long.
                if let session { try await scope.identity.check(session) }
                return changes(
                    await scope.feeds.answer(page, of: poll.takeSubject().reader, subject.question.identity),
                    subject.question)
            }
            if let session, let end = subject.ends {
                let recheck = scope.recheck(request, since: subject.begun)
                poll.watch(try await scope.identity.watch(session, end: end, recheck: recheck))
            }
            return HTTPResponse(status: 200, body: .resting(poll))
        } catch {
            throw await reason(for: error, since: subject.begun)
        }
    }

    /// The end of the sign-in where that is why a feed could not be read: a user who is removed loses the device as
    /// well.
    private func reason(for error: any Error, since begun: Timestamp) async -> any Error {
        guard let session else { return FeedService.clientError(error) }
        do {
            try await scope.identity.check(session)
            try await scope.recheck(request, since: begun)()
            return FeedService.clientError(error)
        } catch let end {
            return end
        }
    }

    private func feedQuestion() async throws -> FeedQuestion {
        let body = try body()
        let limit =
            try ResultsLimit.read(body, atMost: Limits.notificationsPageMax) ?? Limits.notificationsPageMax
        let wait = try number(body["waitSeconds"], in: 0...Limits.waitSecondsMax, default: 0)
        let token = try body["serverChangeToken"].map { token throws(CloudError) in try token.string() }
        let identity = try await identity(ofReading: try deviceID(in: body), at: token)
        return FeedQuestion(
            identity: identity, token: token, limit: limit, wait: .seconds(wait),
            wantsPayloads: try body["shouldFetchPushPayload"]?.bool() ?? true)
    }

    /// The feed of one of the caller's devices that reads it.
    private func identity(ofReading device: DeviceID, at token: String?) async throws -> FeedIdentity {
        let device = try await scope.records.deviceThatReads(device, for: caller) { [feeds = scope.feeds] device in
            feeds.good(token, of: feeds.identity(of: device))
        }
        return scope.feeds.identity(of: device)
    }

    private func changes(_ answer: FeedService.Answer, _ question: FeedQuestion) -> HTTPResponse {
        let encoder = scope.encoder(withPayloads: question.wantsPayloads)
        var writer = JSONWriter(capacityBytes: 256 + 1024 * answer.notifications.count)
        writer.beginObject()
        writer.key("notifications")
        writer.beginArray()
        for notification in answer.notifications { encoder.write(notification, to: &writer) }
        writer.endArray()
        writer.member("serverChangeToken", answer.token)
        writer.member("moreComing", answer.moreComing)
        writer.endObject()
        return JSONResponse.make(writer.takeBytes())
    }

    func notificationStream() async throws -> HTTPResponse {
        // What the browser sends when it connects again is newer than what the page was opened with.
        // A plus sign that a page did not escape has become a space.
        let token =
            request.headers["Last-Event-ID"]
            ?? request.queryValue("serverChangeToken")?.exchanging(" ", for: "+")
        let identity = try await identity(ofReading: try deviceIDInQuery(), at: token)
        let reader = try await scope.feeds.open(
            identity, at: token.flatMap { $0.isEmpty ? nil : $0 }, mayWait: true)
        let stream = NotificationStream(
            reader: reader, identity: identity, feeds: scope.feeds, scope: scope, session: session,
            recheck: scope.recheck(request), wantsPayloads: try wantsPayloadsInQuery())
        return HTTPResponse(
            status: 200, headers: [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store")],
            body: .stream(stream.start()))
    }

    func markRead() async throws -> HTTPResponse {
        let body = try body()
        let user = try caller.signedIn(to: "marking notifications read")
        var ids: [String] = []
        for id in try body.required("notificationIDs").elements() { ids.append(try id.string()) }
        guard (1...Limits.markReadMax).contains(ids.count) else {
            throw CloudError.badRequest("notificationIDs takes 1 to \(Limits.markReadMax) IDs, not \(ids.count)")
        }
        let changes = ids.map { scope.feeds.identifiers.decode($0, of: user) }
        try await scope.records.markRead(changes.compactMap { $0 }, on: try deviceID(in: body), for: caller)
        let items = zip(ids, changes).map { id, change in
            let item: JSONObject = ["notificationID": .string(id)]
            if change != nil { return JSONValue.object(item) }
            let error = CloudError(.notFound, "there is no notification '\(id)' of this user")
            return .object(ErrorEncoding.item(error, into: item))
        }
        return JSONResponse.make(["notifications": .array(items)])
    }

    private func wantsPayloadsInQuery() throws(CloudError) -> Bool {
        guard let text = request.queryValue("shouldFetchPushPayload") else { return true }
        guard let value = Bool(text) else {
            throw .badRequest("shouldFetchPushPayload is true or false, not '\(text.prefix(20))'")
        }
        return value
    }

    private func number(_ json: JSONPath?, in range: ClosedRange<Int>, default value: Int) throws(CloudError) -> Int {
        guard let json else { return value }
        let number = try json.integer()
        guard let small = Int(exactly: number), range.contains(small) else {
            throw .badRequest("\(json.path) is \(range.lowerBound) to \(range.upperBound), not \(number)")
        }
        return small
    }
}
