import FanfareCloudKit
// Not Foundation: the library brings it, and where both are imported, the types of expressions have two meanings.
import Testing

/// The predicates that Apple's documents of queries show, with arguments of every type.
@Suite struct QueryGuides {
    @Test("arguments with and without a cast are equal, and sort descriptors have their field")
    func casts() {
        let (date, id) = (Date(), CKRecord.ID(recordName: "a"))
        let reference = CKRecord.Reference(recordID: id, action: .none)
        let written = NSPredicate(format: "a > %@ AND b IN %@ AND c = %@ AND d = %@", date, ["x"], id, reference)
        let cast = NSPredicate(
            format: "a > %@ AND b IN %@ AND c = %@ AND d = %@", date as any CVarArg, ["x"] as any CVarArg,
            id as any CVarArg,
            reference as any CVarArg)
        #expect(written == cast)
        let arguments: [any CVarArg] = [UUID(), Data([1])]
        #expect(arguments.count == 2)
        #expect(String(format: "at %@", date as any CVarArg) == "at \(date)")
        let sort = NSSortDescriptor(key: "year", ascending: true)
        let reversed = sort.reversedSortDescriptor as? NSSortDescriptor
        #expect(sort.key == "year" && reversed?.key == "year" && reversed?.ascending == false)
    }

    @Test("predicates of every form find what they say")
    func predicates() async throws {
        let devices = try await Devices()
        let container = devices.device()
        let database = container.privateCloudDatabase
        let type = devices.name("Task")
        let target = CKRecord(recordType: devices.name("List"))
        let records = (0..<6).map { number in
            let record = CKRecord(recordType: type, recordID: CKRecord.ID(recordName: "task\(number)"))
            record["number"] = number
            record["name"] = "name \(number)"
            record["due"] = Date(timeIntervalSince1970: Double(number) * 100)
            record["list"] = CKRecord.Reference(record: target, action: .none)
            record["place"] = CLLocation(latitude: Double(number), longitude: 0)
            record["tags"] = ["tag\(number)", "all"]
            return record
        }
        _ = try await database.modifyRecords(saving: [target] + records, deleting: [])

        func found(_ predicate: NSPredicate, by sort: NSSortDescriptor? = nil) async throws -> [Int] {
            let query = CKQuery(recordType: type, predicate: predicate)
            query.sortDescriptors = [sort ?? NSSortDescriptor(key: "number", ascending: true)]
            return try await database.records(matching: query).matchResults.map {
                try #require(try $0.1.get()["number"] as? Int)
            }
        }
        #expect(try await found(NSPredicate(value: true)) == [0, 1, 2, 3, 4, 5])
        #expect(try await found(NSPredicate(format: "number > %d", 3)) == [4, 5])
        #expect(try await found(NSPredicate(format: "number > %@ AND name != %@", NSNumber(value: 3), "name 5")) == [4])
        #expect(try await found(NSPredicate(format: "%K BEGINSWITH %@", "name", "name 2")) == [2])
        #expect(try await found(NSPredicate(format: "due < %@", NSDate(timeIntervalSince1970: 150))) == [0, 1])
        #expect(try await found(NSPredicate(format: "list == %@", target.recordID)).count == 6)
        let reference = CKRecord.Reference(recordID: target.recordID, action: .none)
        #expect(try await found(NSPredicate(format: "list == %@", reference)).count == 6)
        #expect(try await found(NSPredicate(format: "number IN %@", [1, 3])) == [1, 3])
        #expect(try await found(NSPredicate(format: "number BETWEEN %@", [1, 3])) == [1, 2, 3])
        #expect(try await found(NSPredicate(format: "ANY tags == %@", "tag4")) == [4])
        #expect(try await found(NSPredicate(format: "tags CONTAINS %@", "tag4")) == [4])
        let origin = CLLocation(latitude: 0, longitude: 0)
        let near = NSPredicate(
            format: "distanceToLocation:fromLocation:(place, %@) < %f", origin, 150_000.0)
        #expect(try await found(near) == [0, 1])
        #expect(try await found(NSPredicate(format: "recordID IN %@", [records[2].recordID])) == [2])
        let user = try await container.userRecordID()
        #expect(try await found(NSPredicate(format: "creatorUserRecordID == %@", user)).count == 6)
        let compound = NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate(format: "number > 1"),
            NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(format: "number == %ld", 3)),
        ])
        #expect(try await found(compound) == [2, 4, 5])
        let nearest = CKLocationSortDescriptor(key: "place", relativeLocation: CLLocation(latitude: 5, longitude: 0))
        #expect(try await found(NSPredicate(value: true), by: nearest) == [5, 4, 3, 2, 1, 0])
        #expect(
            try await found(NSPredicate(value: true), by: NSSortDescriptor(key: "number", ascending: false))[0] == 5)
    }

    @Test("predicates that are put together from expressions find the same")
    func expressions() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let type = devices.name("Task")
        let records = (0..<6).map { number in
            let record = CKRecord(recordType: type)
            record["number"] = number
            record["name"] = "Name \(number)"
            if number == 0 { record["note"] = "first" }
            record["place"] = CLLocation(latitude: Double(number), longitude: 0)
            record["tags"] = ["tag\(number)", "all"]
            return record
        }
        _ = try await database.modifyRecords(saving: records, deleting: [])

        func found(_ predicate: NSPredicate) async throws -> [Int] {
            let query = CKQuery(recordType: type, predicate: predicate)
            query.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
            return try await database.records(matching: query).matchResults.map {
                try #require(try $0.1.get()["number"] as? Int)
            }
        }
        func compared(
            _ left: String, _ type: NSComparisonPredicate.Operator, _ value: Any?,
            _ modifier: NSComparisonPredicate.Modifier = .direct, _ options: NSComparisonPredicate.Options = []
        ) -> NSPredicate {
            NSComparisonPredicate(
                leftExpression: NSExpression(forKeyPath: left), rightExpression: NSExpression(forConstantValue: value),
                modifier: modifier, type: type, options: options)
        }
        #expect(try await found(compared("number", .greaterThan, 3)) == [4, 5])
        #expect(try await found(compared("number", .notEqualTo, 3)) == [0, 1, 2, 4, 5])
        #expect(try await found(compared("name", .beginsWith, "name 2", .direct, .caseInsensitive)) == [2])
        #expect(try await found(compared("tags", .equalTo, "tag4", .any)) == [4])
        #expect(try await found(compared("tags", .contains, "tag4")) == [4])
        #expect(try await found(compared("note", .equalTo, nil)) == [1, 2, 3, 4, 5])
        #expect(try await found(compared("number", .in, [1, 3])) == [1, 3])
        let bounds = NSExpression(forAggregate: [NSExpression(forConstantValue: 1), 3])
        let between = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "number"), rightExpression: bounds, type: .between)
        #expect(try await found(between) == [1, 2, 3])
        let distance = NSExpression(
            forFunction: "distanceToLocation:fromLocation:",
            arguments: [NSExpression(forKeyPath: "place"), CLLocation(latitude: 0, longitude: 0)])
        let near = NSComparisonPredicate(
            leftExpression: distance, rightExpression: NSExpression(forConstantValue: 150_000.0), type: .lessThan)
        #expect(try await found(near) == [0, 1])
        let both = NSCompoundPredicate(
            type: .and,
            subpredicates: [
                NSCompoundPredicate(orPredicateWithSubpredicates: [near, compared("number", .equalTo, 4)]),
                compared("number", .greaterThan, 0),
            ])
        #expect(try await found(both) == [1, 4])
        #expect(between.predicateFormat == "number BETWEEN {1, 3}")
        #expect(near == near.copy() as? NSPredicate && near != between)
    }

    @Test(
        "what no service evaluates is an invalid argument, with the reason",
        arguments: [
            NSPredicate(format: "a > %@"), NSPredicate(format: "a == 1", 1), NSPredicate(format: "a == 'b"),
            NSPredicate(format: ""), NSPredicate(format: "a == %@", NSObject()), NSPredicate(format: "%K == 1", 5),
            NSPredicate(format: "a == %z", 1), NSPredicate(block: { _, _ in true }),
            NSComparisonPredicate(
                leftExpression: NSExpression(forFunction: "sum:", arguments: []),
                rightExpression: NSExpression(forConstantValue: 1), type: .equalTo),
            NSComparisonPredicate(
                leftExpression: NSExpression(forKeyPath: "a"),
                rightExpression: NSExpression(forConstantValue: NSObject()), type: .equalTo),
        ].map { CKQuery(recordType: "Task", predicate: $0) })
    func wrong(query: CKQuery) async throws {
        // Nobody is asked: there is no such address.
        let container = CKContainer(
            configuration: .init(url: "http://127.0.0.1:1", containerIdentifier: "iCloud.test", apiToken: ""))
        let error = await #expect(throws: CKError.self) {
            try await container.publicCloudDatabase.records(matching: query)
        }
        #expect(error?.code == .invalidArguments)
        #expect(error?.localizedDescription.isEmpty == false)
    }

    @Test("what only the service can refuse is an invalid argument, too")
    func refused() async throws {
        let database = try await Devices().device().privateCloudDatabase
        let query = CKQuery(recordType: "Task", predicate: NSPredicate(format: "name MATCHES %@", "a.*"))
        let error = await #expect(throws: CKError.self) { try await database.records(matching: query) }
        #expect(error?.code == .invalidArguments)
        #expect(error?.localizedDescription.contains("MATCHES") == true)
    }

    @Test("pages go on from archived cursors")
    func pages() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let type = devices.name("Task")
        let records = (0..<5).map { number in
            let record = CKRecord(recordType: type)
            record["number"] = number
            record["text"] = "x"
            return record
        }
        _ = try await database.modifyRecords(saving: records, deleting: [])
        let query = CKQuery(recordType: type, predicate: NSPredicate(value: true))
        let (first, cursor) = try await database.records(matching: query, desiredKeys: ["number"], resultsLimit: 3)
        #expect(first.count == 3)
        #expect(try first[0].1.get().allKeys() == ["number"])
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: #require(cursor), requiringSecureCoding: true)
        let restored = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQueryOperation.Cursor.self, from: data)
        let (second, end) = try await database.records(continuingMatchFrom: #require(restored))
        #expect(second.count == 2 && end == nil)
        #expect(Set(first.map(\.0) + second.map(\.0)) == Set(records.map(\.recordID)))
        #expect(try await database.perform(query, inZoneWith: nil).count == 5)
    }
}
