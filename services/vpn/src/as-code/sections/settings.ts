import type { z } from 'zod'
import { Settings } from '../../settings/schema.ts'
import type { Section } from '../section.ts'

const SettingsOfFile = Settings.partial().strict()

/** Settings of the service. */
export const settingsSection: Section<z.infer<typeof SettingsOfFile>> = {
  name: 'settings',
  noun: 'settings',
  form: 'members',
  schema: SettingsOfFile,
  defaults: {},
  identify: () => ({ key: '', name: 'settings' }),
  read: ({ parts }) => Promise.resolve([{ id: '', key: '', name: 'settings', value: parts.settings.current() }]),
  async apply({ parts }, { change }) {
    for (const { members } of change) await parts.settings.update(members)
    return []
  },
}
