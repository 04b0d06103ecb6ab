import { defineConfig } from 'vite'
import { hearthUi } from '@hearth/ui/vite'

export default defineConfig(hearthUi({ title: 'Hearth Inverter' }))
