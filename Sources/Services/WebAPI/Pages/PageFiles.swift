/// The style and the scripts of pages.
enum PageFiles {
    /// The address of a file, as a page names it.
    static func path(_ name: String) -> String { Page.address("pages/\(name)") }

    /// A file's type and text, by its name.
    static let files: [String: (type: String, text: String)] = [
        "pages.css": ("text/css; charset=utf-8", style),
        "sign-in.js": ("text/javascript; charset=utf-8", signIn),
        "icon.svg": ("image/svg+xml", icon),
    ]

    private static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1557c0"/>
        <path d="M8 19h5l9 6V7l-9 6H8z" fill="#fff"/></svg>

        """

    private static let style = """
        :root {
          --paper: #f4f5f7; --card: #ffffff; --ink: #1b1f27; --quiet: #5a6372; --line: #d8dce3;
          --accent: #1557c0; --on-accent: #ffffff; --note: #eef3fb; --warn: #8a4b00; --warn-paper: #fff4e2;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #14161b; --card: #1e2229; --ink: #e9ecf1; --quiet: #a3adbb; --line: #363c47;
            --accent: #7eb0ff; --on-accent: #0c1a30; --note: #232c3a; --warn: #ffce8a; --warn-paper: #33281a;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem;
          background: var(--paper); color: var(--ink);
          font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
        }
        main {
          width: 100%; max-width: 26rem; padding: 2rem; background: var(--card);
          border: 1px solid var(--line); border-radius: 14px; box-shadow: 0 8px 30px rgb(0 0 0 / .06);
        }
        h1 { margin: 0 0 .75rem; font-size: 1.45rem; line-height: 1.25; overflow-wrap: anywhere; }
        p { margin: 0 0 1rem; }
        .quiet { color: var(--quiet); font-size: .925rem; }
        .tag {
          display: inline-block; padding: .05rem .5rem; border: 1px solid var(--line); border-radius: 999px;
          color: var(--quiet); font-size: .8rem;
        }
        strong, dd { overflow-wrap: anywhere; }
        .note, .warning { margin: 0 0 1rem; padding: .75rem .9rem; border-radius: 10px; background: var(--note); }
        .warning { background: var(--warn-paper); color: var(--warn); }
        dl { display: grid; grid-template-columns: auto 1fr; gap: .35rem 1rem; margin: 0 0 1.25rem; }
        dt { color: var(--quiet); }
        dd { margin: 0; }
        form { margin: 0 0 1rem; }
        main > :last-child { margin-bottom: 0; }
        label { display: block; margin: 0 0 .3rem; }
        .check { display: flex; gap: .55rem; align-items: center; margin: 0 0 1rem; }
        input[type=text], textarea {
          width: 100%; margin: 0 0 1rem; padding: .6rem .7rem; color: inherit; background: var(--paper);
          border: 1px solid var(--line); border-radius: 9px; font: inherit;
        }
        textarea { font: .8rem/1.4 ui-monospace, "SF Mono", Menlo, Consolas, monospace; resize: vertical; }
        input[type=checkbox] { width: 1.1rem; height: 1.1rem; accent-color: var(--accent); }
        button {
          width: 100%; padding: .7rem 1rem; font: inherit; font-weight: 600; cursor: pointer;
          color: var(--on-accent); background: var(--accent); border: 1px solid transparent; border-radius: 9px;
        }
        button.second { color: var(--accent); background: transparent; border-color: var(--line); }
        button:hover { filter: brightness(1.08); }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        .or { display: flex; gap: .8rem; align-items: center; margin: 0 0 1rem; color: var(--quiet); font-size: .9rem; }
        .or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line); }

        """

    /// Hands the token to the page that opened the window, as CloudKit's sign-in does, or to the page of this origin that
    /// waits on a channel. The browser gives it to no page of another origin.
    private static let signIn = """
        "use strict";
        const { token, origin, name, channel } = document.getElementById("result").dataset;
        if (channel) {
          new BroadcastChannel(`fanfare-sign-in-${channel}`).postMessage({ [name]: token });
          window.close();
        } else if (window.opener) {
          window.opener.postMessage({ ckWebAuthToken: token, ckSession: token }, origin);
          window.close();
        } else {
          document.getElementById("alone").hidden = false;
        }

        """
}
