import CloudModel
import HTTPServer
import Settings

#if canImport(Glibc)
    import Glibc
#endif

/// The program: finds the command, reads its settings, runs it, and ends with its exit code.
@main
struct Fanfare {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        // Stores, logs, keys and dev.json are nobody else's to read.
        umask(0o077)
        // A reader that goes away ends a write, not the process.
        signal(SIGPIPE, SIG_IGN)
        LargeBlocks.returnToSystem()
        let code = await run(arguments)
        fflush(nil)
        // Not `exit`: threads of librdkafka may still work, and what libraries have run at an exit frees what those
        // use.
        _exit(code)
    }

    private static func run(_ arguments: [String]) async -> Int32 {
        guard let name = arguments.first else {
            Output.errorText(Help.overview)
            return ExitCode.wrongUse
        }
        if ["--version", "version"].contains(name) {
            Output.line(Build.description)
            return ExitCode.done
        }
        if ["--help", "-h", "help"].contains(name) {
            Output.text(Help.overview)
            return ExitCode.done
        }
        guard let (command, rest) = Command.find(arguments) else {
            Output.error("fanfare: there is no command '\(name)'")
            Output.errorText("\n\(Help.overview)")
            return ExitCode.wrongUse
        }
        if rest.contains("--help") || rest.contains("-h") {
            Output.text(Help.text(of: command))
            return ExitCode.done
        }
        if command.isRole { Signals.endWhileStarting() }
        do {
            let reading = try Configuration.read(rest, for: command)
            Logging.apply(reading.configuration)
            for warning in reading.warnings { Output.error("fanfare \(command.name): \(warning)") }
            return try await command.run(reading)
        } catch let error as SettingsError {
            Output.error("fanfare \(command.name): \(error)")
            return ExitCode.wrongUse
        } catch is CancellationError {
            return ExitCode.done
        } catch {
            Output.error("fanfare \(command.name): \(error)")
            return ExitCode.failed
        }
    }
}
