import { describe, expect, test } from 'vitest'
import { isPublic } from './addresses.ts'
import { readUrl } from './read-url.ts'

describe('an address', () => {
  test.each([
    '1.1.1.1',
    '93.184.215.14',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:80b::200e',
  ])('%s is public', address => expect(isPublic(address)).toBe(true))

  test.each([
    ['this host', ['0.0.0.0', '0.1.2.3', '::']],
    ['loopback', ['127.0.0.1', '127.255.255.254', '::1']],
    ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1']],
    ['link-local, and the metadata of clouds', ['169.254.169.254', '169.254.0.1', 'fe80::1', 'febf::1']],
    ['of carriers', ['100.64.0.1', '100.127.255.255', '100.100.100.200']],
    ['multicast and broadcast', ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1', 'ff0e::1']],
    ['documentation', ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1']],
    ['of protocols and tests', ['192.0.0.1', '192.0.0.192', '198.18.0.1', '198.19.255.255', '2001:2::1']],
    ['reserved', ['240.0.0.1', '254.1.1.1', '192.88.99.1', '4000::1', '8000::1', 'e000::1']],
    ['local of IPv6', ['fc00::1', 'fd00:ec2::254', 'fdff::1', 'fec0::1']],
    ['mapped', ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:7f00:1', '::ffff:1.1.1.1']],
    ['compatible', ['::127.0.0.1', '::10.0.0.1', '::1.1.1.1']],
    ['translated', ['64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b::1.1.1.1', '64:ff9b:1::a00:1']],
    ['translated, of old', ['::ffff:0:127.0.0.1', '::ffff:0:a00:1']],
    ['6to4', ['2002:7f00:1::1', '2002:a00:1::1', '2002:c0a8:101::1', '2002:101:101::1']],
    ['Teredo', ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:0:7f00:1::']],
    ['of no host', ['100::1', '2001:10::1', '2001:20::1', '5f00::1']],
    ['with a zone', ['fe80::1%eth0', '::1%lo', '2606:4700:4700::1111%1']],
    ['in another form', ['127.1', '0x7f.1', '0177.0.0.1', '2130706433', '0x7f000001', '010.0.0.1', '1.1.1']],
    ['none', ['', 'localhost', '1.1.1.1.', '1.1.1.1:443', '[::1]', ' 1.1.1.1', '1.1.1.1\0']],
  ])('that is %s is not', (_, addresses) => expect(addresses.filter(isPublic)).toEqual([]))
})

describe('a URL', () => {
  test.each([
    ['https://files.example/a?key=b#c', 'https://files.example/a?key=b#c'],
    ['https://files.example:443/a', 'https://files.example/a'],
    ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
    ['https://1.1.1.1/', 'https://1.1.1.1/'],
  ])('%s is read', (text, href) => expect(readUrl(text)).toMatchObject({ url: { href } }))

  test.each([
    'http://files.example/',
    'ftp://files.example/',
    'file:///etc/passwd',
    'data:text/plain,a',
    'https://name@files.example/',
    'https://name:word@files.example/',
    'https://:word@files.example/',
    'https://files.example:8443/',
    'https://files.example:80/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0x7f000001/',
    'https://2130706433/',
    'https://0177.0.0.1/',
    'https://①②⑦.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://',
    'https://a b/',
    '//files.example/',
    'files.example',
    '',
  ])('%s is refused', text => expect(readUrl(text)).toEqual({ why: expect.any(String) }))
})
