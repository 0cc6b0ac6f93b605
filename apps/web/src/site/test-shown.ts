/** What tests render pages with: the catalogue of the source, at an origin that stands nowhere else. */
import { gpuListing, regionNames } from '@ingot/contracts/catalog'
import type { Shown } from '@ingot/contracts/pages'
import type { Links } from './page.ts'

export const shown: Shown = { origin: 'https://gpu.example', gpus: gpuListing(), regions: regionNames }
export const links: Links = {
  css: ['/site.css'],
  scripts: ['/main.js'],
  fonts: ['/sans.woff2'],
  search: '/search.json',
}
