import { join } from 'node:path'
import { box } from '@hearth/runtime'

/** Returns the box that tells the person at the terminal the generated password of the first administrator. */
export function firstSignInBox(service: string, password: string, dataDirectory: string): string {
  return box([
    `First sign-in to Hearth ${service}`,
    '',
    'User      admin',
    `Password  ${password}`,
    '',
    `Also in ${join(dataDirectory, 'initial-admin-password')}`,
    'It must be changed at the first sign-in.',
  ])
}
