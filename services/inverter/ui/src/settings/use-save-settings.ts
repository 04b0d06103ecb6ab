import { answer, useAction } from '@hearth/ui'
import { api, type GatewaySettings, keys, type SettingsView } from '../api.ts'

/** Saves the settings as a whole. */
export function useSaveSettings(onProblem: (error: unknown) => void) {
  return useAction<GatewaySettings, SettingsView>({
    run: (body) => answer(api.PUT('/admin/api/settings', { body })),
    done: () => 'Settings saved',
    renew: [keys.settings],
    onProblem,
  })
}
