import CloudJSON
import CloudModel

/// Queries, subscriptions and notifications.
extension RandomNouns {
    mutating func filter() -> GivenFilter {
        let comparator = pick(Comparator.allCases)
        let field: FilterField =
            comparator.isOfWords && flag()
            ? .searchableTexts
            : pick([
                .field(fieldName()), .system(.recordName), .system(.createdTimestamp), .system(.modifiedUserRecordName),
            ])
        let type = pick(FieldType.allCases.filter { $0.elementType == nil && !$0.isEncrypted })
        let operand: GivenFilter.Operand =
            comparator.takesList
            ? .values(list(3) { $0.value(type) }, of: type) : .value(GivenValue(value(type), isTypeExplicit: true))
        return GivenFilter(
            field: field, comparator: comparator, operand: operand,
            distance: comparator == .near ? pick([0, 10, 12.5]) : nil)
    }

    /// A reference in a filter that names the default zone without an owner stands for any zone; none is written so.
    mutating func query() -> GivenQuery {
        GivenQuery(
            recordType: recordType(), filters: list(3) { $0.filter() },
            predicate: maybe { nouns in
                GivenPredicate(
                    text: nouns.text(),
                    arguments: nouns.list(3) { nouns in
                        let type = nouns.pick(FieldType.allCases.filter { !$0.isEncrypted })
                        return nouns.flag() ? .null : .value(GivenValue(nouns.value(type), isTypeExplicit: true))
                    })
            })
    }

    mutating func sort() -> Sort {
        Sort(
            field: flag() ? .field(fieldName()) : .system(.createdTimestamp), isAscending: flag(),
            relativeLocation: maybe { $0.location() })
    }

    mutating func appearance<Argument>(_ argument: (inout RandomNouns) -> Argument) -> Appearance<Argument> {
        func text(_ nouns: inout RandomNouns) -> AlertText<Argument> {
            AlertText(
                nouns.maybe { $0.text() }, localizationKey: nouns.maybe { $0.text() },
                localizationArgs: nouns.list(3, argument))
        }
        return Appearance(
            alert: text(&self), title: text(&self), subtitle: text(&self),
            actionLocalizationKey: maybe { $0.text() }, launchImage: maybe { $0.text() },
            soundName: maybe { $0.text() }, category: maybe { $0.text() }, isContentAvailable: flag(),
            isContentMutable: flag(), collapseID: maybe { $0.text() })
    }

    mutating func notificationInfo() -> NotificationInfo {
        NotificationInfo(
            additionalFields: list(3) { $0.fieldName() }, shouldBadge: flag(),
            appearance: appearance { $0.fieldName() })
    }

    mutating func draft() -> SubscriptionDraft {
        var draft = watchedDraft()
        switch below(4) {
        case 0: draft.startingFrom = .time(Timestamp(milliseconds: abs(time().milliseconds % 1 << 50)))
        case 1: draft.startingFrom = .changeToken("t" + word())
        default: break
        }
        return draft
    }

    private mutating func watchedDraft() -> SubscriptionDraft {
        let id = maybe { SubscriptionID(trusted: $0.word()) }
        let info = maybe { $0.notificationInfo() }
        switch below(3) {
        case 0:
            return SubscriptionDraft(
                id: id, query: query(), zone: maybe { $0.givenZone() }, firesOn: events(), firesOnce: flag(),
                changedKeys: list(3) { $0.fieldName() }, notificationInfo: info)
        case 1:
            return .zone(
                id: id, zone: maybe { $0.givenZone() }, recordType: maybe { $0.recordType() }, notificationInfo: info)
        default: return .database(id: id, recordType: maybe { $0.recordType() }, notificationInfo: info)
        }
    }

    mutating func subscription() -> Subscription {
        let query = Query(
            recordType: recordType(), filters: list(3) { $0.filter().filter },
            written: maybe { WrittenPredicate(text: $0.text(), argumentsJSON: nil, tree: .always) })
        let condition: Subscription.Condition =
            switch below(3) {
            case 0:
                Subscription.Condition(
                    query: query, zone: maybe { ZoneName(trusted: $0.word()) }, firesOn: events(), firesOnce: flag(),
                    changedKeys: list(3) { $0.fieldName() })
            case 1: .zone(ZoneName(trusted: word()), recordType: maybe { $0.recordType() })
            default: .database(recordType: maybe { $0.recordType() })
            }
        return Subscription(
            key: SubscriptionKey(user: user(), database: .private, id: SubscriptionID(trusted: word())),
            condition: condition, notificationInfo: notificationInfo(),
            backfill: maybe { Backfill(from: Timestamp(milliseconds: Int64($0.below(1_000_000)))) })
    }

    private mutating func events() -> FiringEvents {
        FiringEvents.names.reduce(into: []) { events, known in if flag() { events.insert(known.event) } }
    }

    mutating func notification() -> ReceivedNotification {
        let content: Notification.Content =
            switch below(3) {
            case 0: .query(queryContent())
            case 1: .omitted(omitted())
            default: .read
            }
        return ReceivedNotification(id: text(), content: content, changed: time())
    }

    /// Zones and databases have neither record nor reason.
    private mutating func queryContent() -> Notification.QueryContent {
        let kind = pick(Subscription.Kind.allCases)
        let isQuery = kind == .query
        var content = Notification.QueryContent(
            subscription: SubscriptionKey(
                user: user(), database: pick(DatabaseScope.allCases), id: SubscriptionID(trusted: word())),
            reason: isQuery ? pick([.created, .updated, .deleted]) : .updated,
            recordName: isQuery ? recordName() : RecordName(trusted: ""),
            recordType: isQuery ? recordType() : RecordType(trusted: ""), zone: zoneID(),
            fields: isQuery ? fields() : RecordFields(), appearance: appearance { $0.text() },
            badge: maybe { $0.integer() })
        content.isBackfilled = flag()
        content.kind = kind
        return content
    }

    private mutating func omitted() -> Notification.OmittedContent {
        let record = maybe { (name: $0.recordName(), type: $0.recordType()) }
        var content = Notification.OmittedContent(
            count: below(1000), database: pick(DatabaseScope.allCases),
            reason: record == nil ? .updated : pick([.created, .updated, .deleted]), record: record, zone: zoneID())
        content.isBackfilled = flag()
        return content
    }
}
