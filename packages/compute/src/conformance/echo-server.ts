/**
 * A program for real machines that echoes what comes to a port of their loopback, in whichever of three languages is
 * there. It says `listening` once it does. A connection that begins with `!` is answered `first` and the end of that
 * half at once; how many bytes then came is said on a line of stdout.
 */
const python = `
import socket, socketserver, sys
class Echo(socketserver.BaseRequestHandler):
    def handle(self):
        data = self.request.recv(65536)
        if data[:1] != b'!':
            while data:
                self.request.sendall(data)
                data = self.request.recv(65536)
            return
        self.request.sendall(b'first')
        self.request.shutdown(socket.SHUT_WR)
        count = 0
        while data:
            count += len(data)
            data = self.request.recv(65536)
        print(count, flush=True)
class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 128
server = Server(('127.0.0.1', int(sys.argv[1])), Echo)
print('listening', flush=True)
server.serve_forever()
`

const perl = `
use IO::Socket::INET;
$| = 1;
$SIG{CHLD} = 'IGNORE';
my $door = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $ARGV[0], Listen => 128) or die $!;
print "listening\\n";
while (my $peer = $door->accept) {
  next if fork;
  my $size = sysread $peer, my $data, 65536;
  if (substr($data, 0, 1) eq '!') {
    syswrite $peer, 'first';
    shutdown $peer, 1;
    my $count = 0;
    while ($size) { $count += $size; $size = sysread $peer, $data, 65536 }
    print "$count\\n";
    exit;
  }
  while ($size) {
    for (my $sent = 0; $sent < $size;) { $sent += syswrite($peer, $data, $size - $sent, $sent) || exit }
    $size = sysread $peer, $data, 65536;
  }
  exit;
}
`

const node = `
require('node:net').createServer({ allowHalfOpen: true }, peer => {
  peer.on('error', () => {})
  peer.once('data', data => {
    if (data[0] !== 0x21) {
      peer.write(data)
      return peer.pipe(peer)
    }
    peer.end('first')
    let count = data.length
    peer.on('data', data => { count += data.length }).on('end', () => console.log(count))
  })
}).listen(Number(process.argv[1]), '127.0.0.1', () => console.log('listening'))
`

const choose = `
if command -v python3 >/dev/null; then exec python3 -c "$2" "$1"; fi
if command -v perl >/dev/null; then exec perl -e "$3" "$1"; fi
exec node -e "$4" "$1"
`

export const echoServer = (port: number): readonly string[] => [
  'sh',
  '-c',
  choose,
  'sh',
  String(port),
  python,
  perl,
  node,
]
