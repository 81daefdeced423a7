"""Stands between clients and brokers: delays the ends of transactions, holds a broker's connections, cuts them.

    proxy.py PORT:TARGET…    then commands on standard input, each answered with a line:
    endtxn SECONDS           EndTxn requests wait up to so long before they are passed on; 0 ends it
    hold NUMBER              nothing passes to or from the first, second… target; connections stay open
    pass NUMBER              it passes again
    cut NUMBER               its connections are closed
    stats                    how many EndTxn requests were passed, and delayed
"""
import asyncio, random, sys

END_TXN = 26


class State:
    def __init__(self):
        self.delay, self.passed, self.delayed = 0.0, 0, 0
        self.open, self.writers = {}, {}


state = State()


async def requests(number, reader, writer):
    """Passes requests on frame by frame, so that their kind is seen."""
    while True:
        size = await reader.readexactly(4)
        body = await reader.readexactly(int.from_bytes(size, "big"))
        if int.from_bytes(body[:2], "big") == END_TXN:
            state.passed += 1
            if state.delay:
                state.delayed += 1
                await asyncio.sleep(random.uniform(0, state.delay))
        await state.open[number].wait()
        writer.write(size + body)
        await writer.drain()


async def answers(number, reader, writer):
    while data := await reader.read(1 << 16):
        await state.open[number].wait()
        writer.write(data)
        await writer.drain()


async def serve(number, target, reader, writer):
    try:
        upstream_reader, upstream_writer = await asyncio.open_connection("127.0.0.1", target, limit=1 << 20)
    except OSError:
        writer.close()
        return
    ends = {writer, upstream_writer}
    state.writers[number] |= ends
    tasks = [asyncio.create_task(requests(number, reader, upstream_writer)),
             asyncio.create_task(answers(number, upstream_reader, writer))]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for end in ends:
            end.close()
        state.writers[number] -= ends


def carry_out(line):
    words = line.split()
    if words[0] == "endtxn":
        state.delay = float(words[1])
    elif words[0] == "hold":
        state.open[int(words[1])].clear()
    elif words[0] == "pass":
        state.open[int(words[1])].set()
    elif words[0] == "cut":
        for writer in list(state.writers[int(words[1])]):
            writer.transport.abort()
    elif words[0] == "stats":
        return f"{state.passed} {state.delayed}"
    return "done"


async def main():
    for number, route in enumerate(sys.argv[1:], 1):
        port, target = map(int, route.split(":"))
        state.open[number], state.writers[number] = asyncio.Event(), set()
        state.open[number].set()
        await asyncio.start_server(
            lambda reader, writer, number=number, target=target: serve(number, target, reader, writer),
            "127.0.0.1", port, limit=1 << 20)
    print("ready", flush=True)
    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    while line := await commands.readline():
        print(carry_out(line.decode()), flush=True)


asyncio.run(main())
