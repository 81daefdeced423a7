import CPostgreSQL

extension PostgreSQLConnection {
    /// Runs `COPY … FROM STDIN (FORMAT binary)` with the rows that `body` writes, and returns their number. At most a
    /// chunk of them is in memory. What `body` throws ends the copy without a row.
    package func copyIn(_ sql: String, _ body: (PostgreSQLCopyWriter) throws -> Void) throws -> Int {
        try flush()
        return try request(String(sql.prefix(200)), sql) {
            try expect(PGRES_COPY_IN, sql)
            let writer = PostgreSQLCopyWriter { try self.send($0) }
            do {
                try body(writer)
                try writer.end()
            } catch let error {
                if isLost { throw error }
                do {
                    _ = try endCopy(sql, "the client gave up")
                } catch let refusal as PostgreSQLError where error is CopyEnded || isLost { throw refusal } catch {}
                throw error
            }
            return try endCopy(sql, nil)
        }
    }

    /// Runs `COPY … TO STDOUT (FORMAT binary)` and calls `row` with each row. At most a row and a chunk are in memory.
    /// An error of `row` ends the connection, as the server would go on.
    package func copyOut(_ sql: String, _ row: (PostgreSQLCopyRow) throws -> Void) throws {
        try flush()
        try request(String(sql.prefix(200)), sql) {
            try expect(PGRES_COPY_OUT, sql)
            var tuples = CopyTuples(rowBytesMaximum: wire.bytesMaximum)
            do {
                while try nextChunk({ try tuples.append($0) }) {
                    while let next = try tuples.next() { try row(next) }
                    wire.renew()
                }
            } catch let error as UnexpectedValue {
                throw wire.lose(.malformedAnswer, "the copy has \(error.reason)")
            } catch {
                if !isLost { wire.lose(.connectionLost, "a copy was left before its end") }
                canceller.abandon()
                throw error
            }
            try finish(sql)
            guard tuples.isComplete else {
                throw PostgreSQLError(.malformedAnswer, "the copy has no end", attempt: sql)
            }
        }
    }

    /// Reads the beginning of a copy.
    private func expect(_ status: ExecStatusType, _ sql: String) throws {
        guard let result = try wire.nextResult() else { throw wire.lose(.malformedAnswer, "no answer") }
        if result.status == status, PQbinaryTuples(result.handle) == 1 { return }
        if result.status == PGRES_FATAL_ERROR {
            let error = PostgreSQLError(result.handle, attempt: sql)
            while try wire.nextResult() != nil {}
            throw error
        }
        throw wire.lose(.misuse, "the statement is no copy in binary form, of this direction")
    }

    private func send(_ bytes: [UInt8]) throws {
        wire.renew()
        while true {
            let result = bytes.withUnsafeBytes {
                PQputCopyData(wire.handle, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
            }
            if result == 1 { return try wire.flush() }
            // The server has ended the copy, or the connection.
            guard result == 0, try wire.wait(toWrite: true) else { throw CopyEnded() }
        }
    }

    /// Ends a copy into the server, with a reason if it is to fail. Returns the number of rows.
    private func endCopy(_ sql: String, _ reason: String?) throws -> Int {
        wire.renew()
        while PQputCopyEnd(wire.handle, reason) == 0 {
            guard try wire.wait(toWrite: true) else { break }
        }
        try wire.flush()
        return try finish(sql)
    }

    /// Reads the end of a copy's results. Returns the number of rows.
    @discardableResult private func finish(_ sql: String) throws -> Int {
        var count = 0
        var failure: PostgreSQLError?
        while let result = try wire.nextResult() {
            switch result.status {
            case PGRES_COMMAND_OK: count = result.affected
            case PGRES_FATAL_ERROR: failure = failure ?? PostgreSQLError(result.handle, attempt: sql)
            default: throw wire.lose(.malformedAnswer, "a copy does not end")
            }
        }
        if let failure { throw failure }
        return count
    }

    /// Calls `body` with the next chunk, waited for; returns false at the end.
    private func nextChunk(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        while true {
            var chunk: UnsafeMutablePointer<CChar>?
            let count = PQgetCopyData(wire.handle, &chunk, 1)
            defer { PQfreemem(chunk) }
            switch count {
            case 1...:
                try body(UnsafeRawBufferPointer(start: chunk, count: Int(count)))
                return true
            case 0: if try !wire.wait(toWrite: false) { throw wire.lose() }
            default: return false
            }
        }
    }
}

/// The server takes no more of a copy: its error follows.
private struct CopyEnded: Error {}
