import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { freePort } from '@hearth/testing'
import { catalog, startGateway } from './in-process.ts'
import { connectClient } from './shared-client.ts'

/** Runs the command line of rctclient for each object of its own registry, and prints a line of JSON for each. */
const program = `
import contextlib, io, json, sys
from rctclient.cli import cli
from rctclient.registry import REGISTRY
port, left_out = sys.argv[1], json.loads(sys.argv[2])
for entry in REGISTRY.all():
    if entry.name in left_out:
        continue
    output, code = io.StringIO(), None
    arguments = ['read-value', '--host', '127.0.0.1', '--port', port, '--id', '0x%X' % entry.object_id]
    with contextlib.redirect_stdout(output):
        try:
            cli.main(arguments, standalone_mode=False)
        except SystemExit as end:
            code = end.code
    print(json.dumps([entry.object_id, code, output.getvalue().strip()]), flush=True)
`

/** Reason why the test cannot run; false when rctclient is there. It is looked for where Python looks, such as in PYTHONPATH. */
function obstacle(): string | false {
  try {
    execFileSync('python3', ['-c', 'import rctclient.cli'], { stdio: 'ignore', timeout: 60_000 })
    return false
  } catch {
    return 'rctclient is not installed'
  }
}

/** Objects of its registry that are not in the catalog: the secret, and two that the vendor’s specification does not have. */
const leftOut = ['wifi.password', 'phase_shift_threshold', 'battery_placeholder[0].cells_stat[3]']

test(
  'the command line of rctclient reads its whole registry beside two other programs, one request at a time',
  { skip: obstacle() },
  async (t) => {
    await using gateway = await startGateway({
      speed: 1,
      simulator: { faults: { frozenPlant: true } },
      device: { request_gap_ms: 0, periodic_reads: false },
    })
    await gateway.isReady()
    const port = await freePort()
    await gateway.operate('PUT', '/admin/api/shared-port', {
      enabled: true,
      bind_address: '127.0.0.1',
      inverters: [{ device_id: 'main', port }],
      clients: [{ name: 'Here', network: '127.0.0.0/8', may_write: [] }],
      cache_seconds: 2,
    })
    await using one = await connectClient(port)
    await using other = await connectClient(port)
    const names = catalog.objects
      .filter(({ response, name }) => response === undefined && name !== 'net_slave_data')
      .map(({ name }) => name)
    const readAll = async (read: (name: string) => Promise<Uint8Array>, list: readonly string[]) => {
      for (const name of list) await read(name)
    }
    const [{ stdout }] = await Promise.all([
      promisify(execFile)('python3', ['-c', program, String(port), JSON.stringify(leftOut)], {
        timeout: 300_000,
        maxBuffer: 64 * 1_048_576,
      }),
      readAll((name) => one.read(name), names),
      readAll((name) => other.read(name), names.toReversed()),
    ])
    const results = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as [number, number, string])
    assert.deepEqual(
      results.filter(([id, code]) => code !== 0 || catalog.byId(id) === undefined),
      [],
    )
    let compared = 0
    for (const [id, , text] of results) {
      const object = catalog.byId(id)
      if (object?.type !== 'float' || object.response !== undefined || /time|clock|date/.test(object.name)) continue
      const value = Number(gateway.inverter.registers.get(object.name))
      assert.ok(Math.abs(Number(text) - value) <= Math.abs(value) * 1e-6 + 1e-9, `${object.name}: ${text} for ${value}`)
      compared += 1
    }
    t.diagnostic(`${results.length} objects, ${compared} values compared`)
    assert.ok(results.length >= 890 && compared > 400, `${results.length} objects, ${compared} compared`)
    assert.deepEqual([gateway.inverter.maxOpenReads, gateway.inverter.connections], [1, 1])
  },
)
