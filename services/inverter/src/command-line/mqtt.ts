import { readFileSync } from 'node:fs'
import { OperatorError } from '@hearth/runtime'
import type { Command } from 'commander'
import type { MqttView } from '../mqtt/schema.ts'
import { callService } from './call-service.ts'

const path = '/admin/api/mqtt'
const names = { url: '--url', username: '--username', password: '--password-file', base_topic: '--base-topic' }

interface OnOptions {
  readonly url?: string
  readonly username?: string
  readonly passwordFile?: string
  readonly baseTopic?: string
  readonly controls?: boolean
}

/** Adds the commands of MQTT: on, off and status. */
export function addMqttCommands(program: Command): void {
  const mqtt = program.command('mqtt').description('values to an MQTT broker, found by Home Assistant')
  mqtt
    .command('on')
    .description('publish to a broker; what is left out stays as it was')
    .option('--url <address>', 'mqtt://HOST or mqtts://HOST')
    .option('--username <name>', 'user at the broker')
    .option('--password-file <file>', 'file with the password of the user')
    .option('--base-topic <topic>', 'first levels of all topics')
    .option('--controls', 'take commands for what is approved')
    .option('--no-controls', 'take no commands')
    .action(async (options: OnOptions) => {
      const { url, username, passwordFile, baseTopic, controls } = options
      await change({
        enabled: true,
        ...(url !== undefined && { url }),
        ...(username !== undefined && { username }),
        ...(passwordFile !== undefined && { password: readPassword(passwordFile) }),
        ...(baseTopic !== undefined && { base_topic: baseTopic }),
        ...(controls !== undefined && { offers_controls: controls }),
      })
      process.stderr.write('MQTT is on\n')
    })
  mqtt
    .command('off')
    .description('stop publishing, and remove what is at the broker')
    .action(async () => {
      await change({ enabled: false })
      process.stderr.write('MQTT is off\n')
    })
  mqtt
    .command('status')
    .description('print the state of the connection: off, connecting, connected or waiting')
    .action(async () => {
      const { status } = (await callService({ method: 'GET', path })) as MqttView
      process.stdout.write(`${status.state}\n`)
      if (status.last_error !== null) process.stderr.write(`${status.last_error}\n`)
    })
}

async function change(changes: Record<string, unknown>): Promise<void> {
  const { settings } = (await callService({ method: 'GET', path })) as MqttView
  const { has_password: _password, has_client_key: _key, ...values } = settings
  await callService({ method: 'PUT', path, body: { ...values, ...changes } }, names)
}

function readPassword(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new OperatorError(`--password-file: cannot read ${file}: ${(error as Error).message}`, { cause: error })
  }
}
