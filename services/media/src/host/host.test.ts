import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readGroupMemory } from './group-memory.ts'
import { createHostReader } from './host.ts'

const mega = 1024 ** 2
const system = (files: Record<string, string>) => (path: string) => files[path]

test('the host reports disk, processor, memory and uptime', async () => {
  const read = createHostReader(import.meta.dirname)
  const { storage, cpu, memory, uptime } = await read()
  assert(storage !== null && cpu !== null && memory !== null && uptime !== null)
  assert(storage.total >= storage.used + storage.free && storage.free > 0 && storage.percent > 0)
  assert(cpu.percent >= 0 && cpu.percent <= 100 && cpu.cores > 0)
  assert.equal(memory.used + memory.available, memory.total)
  assert(uptime.seconds > 0 && uptime.text !== '')
})

test('processor load is measured since the previous reading', async () => {
  const times = [
    { all: 1000, idle: 900 },
    { all: 2000, idle: 1650 },
    { all: 3000, idle: 1650 },
    { all: 3000, idle: 1650 },
  ]
  const read = createHostReader('/', { times: () => times.shift() ?? { all: 0, idle: 0 } })
  assert.equal((await read()).cpu?.percent, 25)
  assert.equal((await read()).cpu?.percent, 100)
  assert.equal((await read()).cpu?.percent, 100, 'nothing passed since')
})

test('an unreadable value is null, and the others are present', async () => {
  const fail = () => {
    throw new Error('not here')
  }
  const read = createHostReader('/no/such/folder', { times: fail, memory: fail, uptime: () => 59 })
  assert.deepEqual(await read(), { storage: null, cpu: null, memory: null, uptime: { seconds: 59, text: '0 min' } })
})

test('the uptime is shown in its two largest units', async () => {
  const text = async (seconds: number) => (await createHostReader('/', { uptime: () => seconds })()).uptime?.text
  assert.equal(await text(61), '1 min')
  assert.equal(await text(3600 * 5 + 60 * 7), '5 h 7 min')
  assert.equal(await text(86_400 * 3 + 3600 * 4 + 120), '3 d 4 h')
  assert.equal(await text(86_400), '1 d 0 h')
})

test('a control group limits the reported memory', async () => {
  const files = {
    '/proc/self/cgroup': '0::/box/service\n',
    '/sys/fs/cgroup/box/service/memory.max': 'max\n',
    '/sys/fs/cgroup/box/service/memory.current': `${50 * mega}\n`,
    '/sys/fs/cgroup/box/memory.max': `${512 * mega}\n`,
    '/sys/fs/cgroup/box/memory.current': `${300 * mega}\n`,
    '/sys/fs/cgroup/box/memory.stat': `anon 1\ninactive_file ${100 * mega}\nactive_file 5\n`,
  }
  const group = readGroupMemory(system(files))
  assert.deepEqual(group, { limit: 512 * mega, used: 200 * mega })
  const host = { total: 8000 * mega, available: 4000 * mega }
  const read = createHostReader('/', { memory: () => host, groupMemory: () => group })
  assert.deepEqual((await read()).memory, {
    total: 512 * mega,
    used: 200 * mega,
    available: 312 * mega,
    percent: 39.1,
  })
})

test('cgroup v1 is supported, including its unlimited value', () => {
  const folder = '/sys/fs/cgroup/memory/box'
  const files = {
    '/proc/self/cgroup': '5:cpu,cpuacct:/\n4:memory:/box\n0::/\n',
    [`${folder}/memory.limit_in_bytes`]: `${256 * mega}`,
    [`${folder}/memory.usage_in_bytes`]: `${90 * mega}`,
    [`${folder}/memory.stat`]: `total_inactive_file ${10 * mega}\n`,
    '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712',
    '/sys/fs/cgroup/memory/memory.usage_in_bytes': '1',
  }
  assert.deepEqual(readGroupMemory(system(files)), { limit: 256 * mega, used: 80 * mega })
  assert.equal(readGroupMemory(system({ '/proc/self/cgroup': '4:memory:/\n0::/\n' })), undefined)
})

test('the host’s memory is the limit if it is below the control group’s', async () => {
  const memory = () => ({ total: 1000 * mega, available: 100 * mega })
  const bounded = createHostReader('/', { memory, groupMemory: () => ({ limit: 500 * mega, used: 50 * mega }) })
  assert.equal((await bounded()).memory?.available, 100 * mega)
  const free = createHostReader('/', { memory, groupMemory: () => ({ limit: 2000 * mega, used: 50 * mega }) })
  assert.deepEqual((await free()).memory, { total: 1000 * mega, used: 900 * mega, available: 100 * mega, percent: 90 })
})
