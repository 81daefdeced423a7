import Settings

/// One command of the program.
struct Command: Sendable {
    /// One word, or two as `topics init`.
    let name: String
    let usage: String
    let summary: String
    /// The groups of settings that the command takes.
    let settings: [SettingGroup]
    /// True if words beside the flags mean something.
    var takesWords = false
    /// True if it runs until a signal ends it.
    var isRole = false
    let run: @Sendable (SettingsTable<Configuration>.Reading) async throws -> Int32

    /// All commands, as help lists them.
    static let all: [Command] = [
        .dev, .recordService, .subscriptionMatcher, .pushSender, .deviceClient, .topicsInit, .topicsVerify, .topicsACLs,
        .importRecords, .exportRecords, .load, .schemaExport, .schemaImport, .schemaPromote, .schemaGrant, .schemaReset,
        .tokenCreate,
        .tokenList,
        .tokenRevoke,
        .keyCreate,
        .keyList, .keyRevoke, .secretsInit, .secretsList, .secretsRotate, .secretsRemove, .secretsReseal, .usersList,
        .usersSignOut,
        .usersBlock, .usersUnblock, .usersDelete, .configuration, .health, .subscriptionsList, .subscriptionsTest,
        .backup, .restore, .assetsCopy,
        .usersUsage, .poisonList, .poisonRetry, .stages, .repair, .feedsMigrate, .explain, .way,
        .audit, .changesRead, .recordsHistory, .feedsRead, .journalsRead,
        .tokenInspect,
        .devicesList, .pushKeys, .pushTest, .pushList, .pushRemove, .webhooksCreate, .webhooksList, .webhooksRemove,
        .console, .actions, .completions,
    ]

    /// The command at the start of the arguments, and the arguments after it.
    static func find(_ arguments: [String]) -> (Command, [String])? {
        for command in all {
            let words = command.name.split(separator: " ").map(String.init)
            if arguments.starts(with: words) { return (command, Array(arguments.dropFirst(words.count))) }
        }
        return nil
    }
}
