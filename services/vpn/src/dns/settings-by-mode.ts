import type { EngineSettings } from './engine-settings.ts'
import type { Policy } from './policy/policy.ts'
import { blockModes } from './resolver-files.ts'

/** The engine's settings, and the same with each way to answer blocked names: profiles may have one of their own. */
export class SettingsByMode {
  plain!: EngineSettings
  #modes: readonly EngineSettings[] = []

  use(settings: EngineSettings): void {
    this.plain = settings
    this.#modes = blockModes.map((blockMode) => Object.assign({}, settings, { blockMode }))
  }

  /** Those for the clients of a profile; 0 for none. */
  of({ profiles }: Policy, profile: number): EngineSettings {
    const mode = profile === 0 || profiles.holds(profile) === 0 ? 0 : profiles.blockMode(profile)
    return this.#modes[mode - 1] ?? this.plain
  }
}
