/// A row of CSV (RFC 4180) while its lines come: quotes take line ends in.
struct TableRow {
    /// The texts of the cells; nil for an empty one without quotes.
    private(set) var cells: [String?] = []
    /// The reason why the row cannot be read; nil while it can.
    private(set) var fault: String?
    private var cell: [UInt8] = []
    private var isQuoted = false
    private var isOpen = false

    private static let (quote, comma, lineFeed, carriageReturn) = (
        UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(0x0A), UInt8(0x0D)
    )

    /// Reads a row.
    /// - Parameters:
    ///   - bytesMax: the bytes within whose quotes further lines may begin.
    ///   - next: the next line without its end; nil after the last. It is called for lines within quotes.
    init(
        _ first: ArraySlice<UInt8>, bytesMax: Int = 256 << 20, next: () throws -> ArraySlice<UInt8>?
    ) rethrows {
        add(first)
        var bytes = first.count
        while isOpen, fault == nil {
            guard let line = try next() else {
                fault = "a quote has no second one that closes it"
                return
            }
            bytes += line.count
            guard bytes <= bytesMax else {
                fault = "it has more than \(bytesMax) bytes: a quote may lack the second one that closes it"
                return
            }
            cell.append(Self.lineFeed)
            add(line)
        }
    }

    private mutating func add(_ line: ArraySlice<UInt8>) {
        var at = line.startIndex
        while at < line.endIndex {
            let byte = line[at]
            at += 1
            if isOpen {
                if byte != Self.quote {
                    cell.append(byte)
                } else if at < line.endIndex, line[at] == Self.quote {
                    cell.append(byte)
                    at += 1
                } else {
                    isOpen = false
                }
                continue
            }
            switch byte {
            case Self.comma: take()
            case Self.quote where cell.isEmpty && !isQuoted: (isQuoted, isOpen) = (true, true)
            case Self.carriageReturn where at == line.endIndex: break
            case Self.carriageReturn:
                fault = "a line ends with a carriage return alone: save the file with line feeds"
            default: cell.append(byte)
            }
        }
        if !isOpen { take() }
    }

    private mutating func take() {
        if cell.isEmpty && !isQuoted {
            cells.append(nil)
        } else if let text = String(validating: cell, as: UTF8.self) {
            cells.append(text)
        } else {
            cells.append("")
            fault = fault ?? "cell \(cells.count) is not UTF-8: save the file as UTF-8"
        }
        (cell, isQuoted) = ([], false)
    }
}
