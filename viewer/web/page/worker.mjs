// The stream that all pages of this run in a browser share.
import { Hub } from "./stream.mjs";

const hub = new Hub(location.href);
onconnect = ({ ports }) => hub.join(ports[0]);
