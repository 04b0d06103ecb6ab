import type { Settings } from '../api.ts'
import { AnalysisPart } from './analysis-part.tsx'
import { NamePreview } from './name-preview.tsx'
import { LogoPart } from './logo-part.tsx'
import { SettingsGroup, type SettingField } from './settings-group.tsx'

const downloads: readonly SettingField[] = [
  {
    name: 'download_max_filesize_gib',
    label: 'Largest file',
    description: '1 to 100 GiB. Larger downloads are stopped.',
    unit: 'GiB',
  },
  { name: 'download_timeout_minutes', label: 'Download timeout', description: '1 to 240 minutes.', unit: 'min' },
  {
    name: 'download_worker_count',
    label: 'Downloads at a time',
    description: 'Up to 8. Takes effect after a restart of the service.',
    unit: 'at a time',
    zero: 'automatic',
  },
  {
    name: 'download_concurrent_fragments',
    label: 'Connections of one download',
    description: 'Up to 16. More is faster, but platforms may slow it down.',
    unit: 'connections',
    zero: 'automatic',
  },
  {
    name: 'list_spacing_seconds',
    label: 'Spacing of lists',
    description: 'Up to 3600 seconds between two downloads from lists of the same platform.',
    unit: 's',
  },
]

const video: readonly SettingField[] = [
  {
    name: 'download_compatible_output',
    label: 'Files that play everywhere',
    description: 'H.264 and AAC in MP4. What is something else is converted, which takes time.',
  },
  {
    name: 'video_watermark',
    label: 'Put a logo on videos',
    description: 'Every video is encoded again for it, which takes time.',
  },
  { name: 'transcode_timeout_minutes', label: 'Conversion timeout', description: '1 to 480 minutes.', unit: 'min' },
]

const audio: readonly SettingField[] = [
  {
    name: 'audio_analysis_max_minutes',
    label: 'Find the tempo of audio up to',
    description: 'Up to 240 minutes. Key, loudness and silence are found at any length.',
    unit: 'min',
    zero: 'any length',
  },
  {
    name: 'audio_analysis_timeout_minutes',
    label: 'Analysis timeout',
    description: '1 to 60 minutes. The file is available either way.',
    unit: 'min',
  },
  {
    name: 'tempo_range_from',
    label: 'Tempo range from',
    description: '40 to 110 BPM: tempi are doubled or halved to lie between it and twice it. For new analyses.',
    unit: 'BPM',
    zero: 'as felt',
  },
]

const names: readonly SettingField[] = [
  {
    name: 'name_template_audio',
    label: 'Audio files',
    description:
      'Fields: {title} {artist} {album} {channel} {date} {year} {bpm} {key} {camelot} {quality} {platform} {id}. Text in [ ] is left out when a field in it is not known.',
    placeholder: '{title}[_{bpm}bpm]',
    preview: (template) => <NamePreview type="audio" template={template} />,
  },
  {
    name: 'name_template_video',
    label: 'Video files',
    description: 'The same fields. Earlier downloads keep their names.',
    placeholder: '{title} ({quality}Quality)',
    preview: (template) => <NamePreview type="video" template={template} />,
  },
]

const retention: readonly SettingField[] = [
  {
    name: 'retention_days',
    label: 'Delete downloads after',
    description: 'Up to 365 days. Trims, stems and links go with them; pinned downloads stay.',
    unit: 'days',
    zero: 'never',
  },
]

/** Settings of downloads and retention. */
export function DownloadSettings({ settings }: { settings: Settings }) {
  return (
    <>
      <SettingsGroup title="Downloads" settings={settings} fields={downloads} />
      <SettingsGroup title="Video" settings={settings} fields={video} foot={<LogoPart />} />
      <SettingsGroup title="Audio" settings={settings} fields={audio} foot={<AnalysisPart />} />
      <SettingsGroup title="File names" settings={settings} fields={names} />
      <SettingsGroup title="Retention" settings={settings} fields={retention} />
    </>
  )
}
