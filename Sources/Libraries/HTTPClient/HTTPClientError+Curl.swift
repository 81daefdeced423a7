import CCurl

extension HTTPClientError {
    /// Translates a code of libcurl for the sender of the request. `wasSent`: a connection had been made.
    init(_ code: CURLcode, _ request: HTTPClientRequest, detail: String, wasSent: Bool) {
        let said = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        let retry: Retry = wasSent ? .ifIdempotent : .always
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            self.init(.resolution, .always, request, "\(said). Check the host's name and the resolver.")
        case CURLE_COULDNT_CONNECT:
            self.init(.connection, .always, request, "\(said). Check that the server runs and the address is right.")
        case CURLE_OPERATION_TIMEDOUT:
            self.init(.timedOut, retry, request, "\(said). Try again later or allow more time.")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CIPHER:
            self.init(.tls, .never, request, "\(said). Check the server's certificate and the file of trusted issuers.")
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL:
            self.init(.invalidRequest, .never, request, "\(said). Use a complete http or https URL.")
        case CURLE_READ_ERROR, CURLE_ABORTED_BY_CALLBACK, CURLE_SEND_FAIL_REWIND:
            self.init(.invalidRequest, .ifIdempotent, request, "\(said). Check that the body's file can be read.")
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2,
            CURLE_HTTP2_STREAM:
            self.init(.connectionLost, retry, request, "\(said). Try again if it may be done twice.")
        case CURLE_FILESIZE_EXCEEDED:
            self.init(tooLarge: request)
        case CURLE_TOO_MANY_REDIRECTS:
            self.init(.malformedResponse, .never, request, "\(said). Ask the address it redirects to.")
        default:
            self.init(.malformedResponse, retry, request, "\(said).")
        }
    }

    init(tooLarge request: HTTPClientRequest) {
        self.init(
            .responseTooLarge, .never, request,
            "the answer is larger than \(request.responseBytesMaximum) bytes. Ask for less, or allow more.")
    }

    init(closed request: HTTPClientRequest) {
        self.init(.closed, .always, request, "the client was closed. Use one that is open.")
    }
}
