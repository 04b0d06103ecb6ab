import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { Client, eventually, firstSecret, hearth, isFirst } from './client.ts'

const client = new Client(8102)
await client.openPage()
if (isFirst) {
  const password = firstSecret('inverter', 'initial-admin-password')
  await client.call('POST', '/admin/api/session', { username: 'admin', password })
  hearth('inverter', 'device', 'add', '--id', 'home', '--host', '127.0.0.1', '--port', '8899')
}
const program = new Client(8102)
const token = hearth('inverter', 'token', 'create', '--role', 'read', '--name', `trial ${Date.now()}`)
program.headers['authorization'] = `Bearer ${token}`
const simulator = spawn('hearth', ['inverter', 'simulate', '--port', '8899'], {
  env: { PATH: process.env['PATH'], DATA_DIR: '/tmp/simulator' },
  stdio: ['ignore', 'ignore', 'inherit'],
})
try {
  const { value } = await eventually(() =>
    program.call<{ value: number }>('GET', '/api/v1/devices/home/metrics/battery_soc?fresh=true'),
  )
  assert.ok(value >= 0 && value <= 100, `the battery is at ${value}`)
} finally {
  simulator.kill('SIGKILL')
}
