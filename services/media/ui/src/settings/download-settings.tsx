import type { Settings } from '../api.ts'
import { LogoPart } from './logo-part.tsx'
import { NumberField, SettingsGroup, SwitchField } from './settings-group.tsx'

/** Settings of downloads and retention. */
export function DownloadSettings({ settings }: { settings: Settings }) {
  return (
    <>
      <SettingsGroup
        title="Downloads"
        settings={settings}
        names={[
          'download_max_filesize_gib',
          'download_timeout_minutes',
          'download_worker_count',
          'download_concurrent_fragments',
        ]}
      >
        {(form) => (
          <>
            <NumberField
              form={form}
              name="download_max_filesize_gib"
              label="Largest file"
              description="1 to 100 GiB. Larger downloads are stopped."
              unit="GiB"
            />
            <NumberField
              form={form}
              name="download_timeout_minutes"
              label="Download timeout"
              description="1 to 240 minutes."
              unit="min"
            />
            <NumberField
              form={form}
              name="download_worker_count"
              label="Downloads at a time"
              description="Up to 8. Takes effect after a restart of the service."
              unit="at a time"
              zero="automatic"
            />
            <NumberField
              form={form}
              name="download_concurrent_fragments"
              label="Connections of one download"
              description="Up to 16. More is faster, but platforms may slow it down."
              unit="connections"
              zero="automatic"
            />
          </>
        )}
      </SettingsGroup>
      <SettingsGroup
        title="Video"
        settings={settings}
        names={['download_compatible_output', 'video_watermark', 'transcode_timeout_minutes']}
        foot={<LogoPart />}
      >
        {(form) => (
          <>
            <SwitchField
              form={form}
              name="download_compatible_output"
              label="Files that play everywhere"
              description="H.264 and AAC in MP4. What is something else is converted, which takes time."
            />
            <SwitchField
              form={form}
              name="video_watermark"
              label="Put a logo on videos"
              description="Every video is encoded again for it, which takes time."
            />
            <NumberField
              form={form}
              name="transcode_timeout_minutes"
              label="Conversion timeout"
              description="1 to 480 minutes."
              unit="min"
            />
          </>
        )}
      </SettingsGroup>
      <SoundAndRetention settings={settings} />
    </>
  )
}

function SoundAndRetention({ settings }: { settings: Settings }) {
  return (
    <>
      <SettingsGroup
        title="Audio"
        settings={settings}
        names={['audio_analysis_max_minutes', 'audio_analysis_timeout_minutes']}
      >
        {(form) => (
          <>
            <NumberField
              form={form}
              name="audio_analysis_max_minutes"
              label="Find the tempo of audio up to"
              description="Up to 240 minutes."
              unit="min"
              zero="any length"
            />
            <NumberField
              form={form}
              name="audio_analysis_timeout_minutes"
              label="Tempo analysis timeout"
              description="1 to 60 minutes. The file is available either way."
              unit="min"
            />
          </>
        )}
      </SettingsGroup>
      <SettingsGroup title="Retention" settings={settings} names={['retention_days']}>
        {(form) => (
          <NumberField
            form={form}
            name="retention_days"
            label="Delete downloads after"
            description="Up to 365 days. Trims, stems and links go with them."
            unit="days"
            zero="never"
          />
        )}
      </SettingsGroup>
    </>
  )
}
