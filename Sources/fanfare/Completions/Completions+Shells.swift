import TextForms

extension Completions {
    /// bash alone, without the package bash-completion; files where nothing else fits.
    var bash: String {
        let flags = entries.map { entry in
            let names = entry.flags.map(\.name).joined(separator: " ")
            return "        \(Self.quoted(entry.name + " "))*) flags=\(Self.quoted(names)) ;;"
        }
        let groups = groups.map { group in
            "        \(group)) words=\(Self.quoted(secondWords(of: group).map(\.word).joined(separator: " "))) ;;"
        }
        return """
            # Completion of fanfare for bash, made by `fanfare completions bash`.
            _fanfare() {
                local current=${COMP_WORDS[COMP_CWORD]} words='' flags=''
                COMPREPLY=()
                if ((COMP_CWORD == 1)); then
                    words=\(Self.quoted((firstWords.map(\.word) + ["--help", "--version"]).joined(separator: " ")))
                elif ((COMP_CWORD == 2)); then
                    case ${COMP_WORDS[1]} in
            \(groups.joined(separator: "\n"))
                    esac
                fi
                case "${COMP_WORDS[1]} ${COMP_WORDS[2]} " in
            \(flags.joined(separator: "\n"))
                esac
                if [[ $current == -* ]]; then words+=" $flags"; fi
                if [[ -n $words ]]; then mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"); fi
            }
            complete -o default -F _fanfare fanfare

            """
    }

    /// zsh: a function of the folder `site-functions`.
    var zsh: String {
        let groups = groups.map { group in
            "        (\(group)) found=(\(Self.described(secondWords(of: group)))) ;;"
        }
        let flags = entries.map { entry in
            let words = entry.flags.map { (word: $0.name, summary: $0.summary) }
            return "    (\(Self.quoted(entry.name + " "))*) found=(\(Self.described(words))) ;;"
        }
        return """
            #compdef fanfare
            # Completion of fanfare for zsh, made by `fanfare completions zsh`.
            local -a found
            if ((CURRENT == 2)); then
                found=(\(Self.described(firstWords)))
                _describe command found
                return
            fi
            if ((CURRENT == 3)); then
                case $words[2] in
            \(groups.joined(separator: "\n"))
                esac
                if (($#found)); then
                    _describe command found
                    return
                fi
            fi
            case "$words[2] $words[3] " in
            \(flags.joined(separator: "\n"))
            esac
            if [[ $words[CURRENT] == -* ]]; then _describe flag found; else _files; fi

            """
    }

    /// fish: a file of the folder `vendor_completions.d`.
    var fish: String {
        var lines = [
            "# Completion of fanfare for fish, made by `fanfare completions fish`.",
            "# Indicates whether the words after the program begin with these ones.",
            "function __fanfare_has",
            "    set -l words (commandline -opc)[2..]",
            "    test (count $words) -ge (count $argv); and test \"$words[1..\"(count $argv)\"]\" = \"$argv\"",
            "end",
            "# Indicates whether the words after the program are these ones.",
            "function __fanfare_is",
            "    set -l words (commandline -opc)[2..]",
            "    test \"$words\" = \"$argv\"",
            "end",
        ]
        lines += firstWords.map {
            "complete -c fanfare -f -n __fanfare_is -a \($0.word) -d \(Self.fishQuoted($0.summary))"
        }
        for group in groups {
            lines += secondWords(of: group).map {
                "complete -c fanfare -f -n '__fanfare_is \(group)' -a \($0.word) -d \(Self.fishQuoted($0.summary))"
            }
        }
        for entry in entries {
            let condition = "'__fanfare_has \(entry.name)'"
            lines += entry.flags.map { flag in
                let value = flag.isSwitch ? "" : " -r"
                let name = "\(flag.name.dropFirst(2))\(value)"
                return "complete -c fanfare -n \(condition) -l \(name) -d \(Self.fishQuoted(flag.summary))"
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Words with summaries, as zsh's `_describe` takes them.
    private static func described(_ words: [(word: String, summary: String)]) -> String {
        words.map { quoted("\($0.word.exchanging(":", for: #"\:"#)):\($0.summary)") }.joined(separator: " ")
    }

    private static func fishQuoted(_ text: String) -> String {
        "'\(text.exchanging(#"\"#, for: #"\\"#).exchanging("'", for: #"\'"#))'"
    }
}
