import FanfareCloudKit
import Foundation

/// A to-do list that several devices share: a zone of records, its change feed, and a subscription.
///
///     todo list | add TITLE | done TITLE | remove TITLE | watch [COUNT]
///
/// The service is named by the environment: FANFARE_URL, FANFARE_CONTAINER, FANFARE_API_TOKEN, FANFARE_USER,
/// FANFARE_DEVICE; or by FANFARE_CLIENT_CONFIGURATION, such as the `dev.json` of `fanfare dev`, with FANFARE_USER.
/// TODO_FILE is the device's own copy of the list.
@main struct Todo {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch let error as CKError {
            print("todo: \(error.localizedDescription)")
            exit(1)
        } catch {
            print("todo: \(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        let list = try await TaskList.opened()
        try await list.fetch()
        let title = arguments.dropFirst().joined(separator: " ")
        switch arguments.first ?? "list" {
        case "list": break
        case "add": try await list.add(title)
        case "done": try await list.change(title) { $0["isDone"] = true }
        case "remove": try await list.remove(title)
        case "watch": try await list.watch(Int(title) ?? .max)
        case let other:
            print("todo: \(other) is none of list, add, done, remove and watch")
            exit(2)
        }
        try list.keep()
        for task in list.copy.tasks.values.sorted(by: { $0.title < $1.title }) {
            print("[\(task.isDone ? "x" : " ")] \(task.title)")
        }
    }
}
