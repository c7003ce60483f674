-- Dissects recordings of serial robots in Wireshark: the code for all protocols. Each ptybot_*.lua in
-- this folder describes one protocol as tables. Written by `ptybot describe --wireshark`.
-- Wireshark gives each plugin file separate globals, so the files share data in package.loaded.
if package.loaded.ptybot then return package.loaded.ptybot end
local ptybot = { protocols = {} }
package.loaded.ptybot = ptybot

local SILENCE_S = 0.2 -- an incomplete frame is given up after this time
local unpack = table.unpack or unpack
local HEADER = 12     -- RTAC serial: time, event type, control lines, footer

local rtac = Dissector.get("rtacser")
local interface_name = Field.new("frame.interface_name")
local interface_description = Field.new("frame.interface_description")

local line = Proto("ptybot_line", "Serial line")
local event_names = {
    [5] = "Data lost", [7] = "Framing error", [8] = "Parity error", [9] = "Break", [10] = "Overflow",
}
local event_experts = {}
for kind, name in pairs(event_names) do
    event_experts[kind] = ProtoExpert.new("ptybot_line.event" .. kind, name, expert.group.SEQUENCE,
                                          expert.severity.ERROR)
end
line.experts = event_experts

-- ---- Numbers ----

local methods = { u = "uint", i = "int", f = "float" } -- of ranges; ProtoField has the first two

-- ---- A protocol: its Proto with all fields ----

local function make_field(field, kind, bits)
    if field.type == "char" then
        return ProtoField.string(field.filter, field.name, base.ASCII, field.note)
    end
    if field.scale ~= 1 or field.type == "f32" then -- a float field would show only six digits
        return ProtoField.double(field.filter, field.name, field.note)
    end
    return ProtoField[methods[kind] .. bits](field.filter, field.name, base.DEC, nil, nil, field.note)
end

local function prepare_packet(protocol, fields, packet)
    packet.size = 0
    for _, field in ipairs(packet.fields) do
        local kind, bits = field.type:match("^(%a)(%d+)$")
        local order = (packet.order == "big" or bits == "8") and "" or "le_"
        field.step = bits and bits / 8 or 1
        field.read = bits and order .. methods[kind]
        field.proto = make_field(field, kind, bits)
        field.suffix = field.unit ~= "" and (" " .. field.unit) or nil
        field.width = field.is_part and 0 or field.step -- a part shares the bytes of the next field
        packet.size = packet.size + field.width * field.count
        fields[#fields + 1] = field.proto
    end
    if packet.element then prepare_packet(protocol, fields, packet.element) end
end

local experts = {
    checksum = { "Bad checksum", expert.group.CHECKSUM, expert.severity.ERROR },
    length = { "Impossible length", expert.group.PROTOCOL, expert.severity.ERROR },
    noise = { "Bytes outside any frame", expert.group.PROTOCOL, expert.severity.WARN },
    cut = { "Frame cut off", expert.group.PROTOCOL, expert.severity.WARN },
    unknown = { "Unknown packet", expert.group.UNDECODED, expert.severity.NOTE },
    size = { "Packet of wrong size", expert.group.PROTOCOL, expert.severity.WARN },
}

local function find_packet(protocol, to, id, size)
    local list = protocol.by_id[to][id]
    if not list then return nil end
    local found = list[1]
    for _, packet in ipairs(list) do
        if packet.size == size then return packet end
        if packet.element and size > packet.size then found = packet end
    end
    return found
end

-- Prepares the framing of one direction for the splitter. FRAMING may be nil.
local function prepare_framing(protocol, framing)
    if not framing then return nil end
    framing.head = framing.head:gsub("..", function(byte) return string.char(tonumber(byte, 16)) end)
    framing.sizes = framing.has_first_bytes and framing.sizes
    framing.long_bit = framing.long_bit > 0 and framing.long_bit
    for _, key in ipairs({ "line", "single", "only", "text", "series" }) do
        framing[key] = protocol.by_name[framing[key] or ""]
    end
    return framing
end

-- Each ptybot_*.lua calls this with a table, whose contents are those of `ptybot describe --json`.
function ptybot.protocol(protocol)
    local name = protocol.name
    local proto = Proto(name, protocol.title)
    local fields = {}
    protocol.proto = proto
    protocol.experts = {}
    protocol.by_id = { host = {}, robot = {} }
    protocol.by_name = {}
    local function own(key, made)
        protocol[key] = made
        fields[#fields + 1] = made
    end
    own("f_direction", ProtoField.string(name .. ".direction", "Direction"))
    own("f_size", ProtoField.uint32(name .. ".frame_size", "Frame size", base.DEC))
    own("f_packet", ProtoField.string(name .. ".packet", "Packet"))
    own("f_check", ProtoField.uint16(name .. ".checksum", "Checksum", base.HEX))
    own("f_bytes", ProtoField.bytes(name .. ".bytes", "Bytes"))
    own("f_reply", ProtoField.framenum(name .. ".response_in", "Response in", base.NONE,
                                       frametype.RESPONSE))
    own("f_request", ProtoField.framenum(name .. ".response_to", "Request in", base.NONE,
                                         frametype.REQUEST))
    for _, packet in ipairs(protocol.packets) do
        prepare_packet(protocol, fields, packet)
        if not packet.has_no_id then
            local ids = protocol.by_id[packet.to]
            ids[packet.id] = ids[packet.id] or {}
            table.insert(ids[packet.id], packet)
        end
        protocol.by_name[packet.name] = packet
    end
    for _, packet in ipairs(protocol.packets) do
        local asked = protocol.by_name[packet.answers or ""]
        if asked then asked.is_asked = true end
    end
    protocol.first = protocol.channels[1].name
    for i, channel in ipairs(protocol.channels) do
        protocol.channels[i] = nil
        protocol.channels[channel.name] = { host = prepare_framing(protocol, channel.to_host),
                                            robot = prepare_framing(protocol, channel.to_robot) }
    end
    proto.fields = fields
    for key, row in pairs(experts) do
        protocol.experts[key] = ProtoExpert.new(name .. ".expert." .. key, unpack(row))
    end
    proto.experts = protocol.experts
    proto.dissector = function(tvb, pinfo, tree) return 0 end
    ptybot.protocols[name] = protocol
end

-- ---- Splitting: the same rules as `ptybot decode` ----

local function may_begin(framing, data, at, last)
    local head = framing.head
    for i = 1, #head do
        if at + i - 1 > last then break end
        if data:byte(at + i - 1) ~= head:byte(i) then return false end
    end
    return not framing.sizes or framing.sizes[tostring(data:byte(at))] ~= nil
end

-- Whether a frame ends after its ID.
local function is_bare(framing, data, at)
    return framing.long_bit and bit.band(data:byte(at + framing.id_at), framing.long_bit) == 0
end

-- The length of a frame that may begin a series, and whether it begins one; nil: not known yet.
local function long_length(framing, data, at, last)
    if last - at < framing.length_at + 3 then return nil end
    local a, b, c, d = data:byte(at + framing.length_at, at + framing.length_at + 3)
    local word = a + b * 256 + c * 65536 + d * 16777216
    local begins = math.floor(word / 1073741824) % 2 == 1
    return begins and word - 1073741824 or word, begins
end

-- The size of a frame; nil: not known yet; 0: impossible.
local function frame_size(framing, data, at, last)
    if framing.sizes then
        local row = framing.sizes[tostring(data:byte(at))]
        if row.count_at == 0 then return row.size end
        if last - at < row.count_at then return nil end
        return row.size + row.each * data:byte(at + row.count_at)
    end
    if framing.series then
        local length, begins = long_length(framing, data, at, last)
        if not length then return nil end
        if length < framing.length_min or length > framing.length_max then return 0 end
        return framing.length_extra + (begins and 0 or length)
    end
    if framing.long_bit and last - at < framing.id_at then return nil end
    if is_bare(framing, data, at) then return framing.id_at + 1 end
    if framing.length_at == 0 then return framing.size end
    if last - at < framing.length_at + (framing.has_wide_length and 1 or 0) then return nil end
    local length = data:byte(at + framing.length_at)
    if framing.has_wide_length then length = length + 256 * data:byte(at + framing.length_at + 1) end
    if length < framing.length_min or length > framing.length_max then return 0 end
    return length + framing.length_extra
end

-- LIMIT: one more than the largest check.
local function crc(limit, polynomial)
    return function(value, byte)
        value = bit.bxor(value, byte * limit / 256)
        for _ = 1, 8 do
            local high = value >= limit / 2
            value = value * 2 % limit
            if high then value = bit.bxor(value, polynomial) end
        end
        return value
    end
end

local function sum(value, byte) return (value + byte) % 256 end

local checks = {
    xor = bit.bxor, crc8 = crc(256, 0x4D), crc16 = crc(65536, 0x8005),
    sum = sum, sum_twice = sum, sum_not = sum,
    sum_zero = function(value, byte) return (value - byte) % 256 end,
}

-- Number of check bytes after the body.
local function check_size(framing, data, at)
    if framing.check == "none" or is_bare(framing, data, at) then return 0 end
    return (framing.check == "crc16" or framing.check == "sum_twice") and 2 or 1
end

local function is_check_good(framing, data, at, size)
    local add, count = checks[framing.check], check_size(framing, data, at)
    if count == 0 then return true end
    local value = 0
    for i = at + framing.check_from, at + size - count - 1 do value = add(value, data:byte(i)) end
    if framing.check == "sum_twice" then value = (255 - value) * 257 end
    if framing.check == "sum_not" then value = 255 - value end
    local stored = data:byte(at + size - count)
    if count == 2 then stored = stored + 256 * data:byte(at + size - 1) end
    return value == stored
end

local function search(framing, data, at, from, limit)
    while from < limit and not may_begin(framing, data, at + from, at + limit - 1) do
        from = from + 1
    end
    return from
end

local function is_single(framing, byte)
    return framing.singles and framing.singles:find(string.char(byte), 1, true)
end

local TEXT_MAX = 160 -- longest line of text between frames

local function is_text(framing, byte) return framing.text and byte >= 0x20 and byte <= 0x7E end

-- Number of bytes from AT to LAST that may belong to a text, and the size of a complete text or nil.
local function text_size(framing, data, at, last)
    local lines = framing.text.size
    local _, to = data:find(lines > 0 and "^[ -~\r\n]+" or "^[ -~]+", at)
    local run = math.min(to, last, at + (lines > 0 and lines or TEXT_MAX) - 1) - at + 1
    if lines > 0 then return run, run == lines and run or nil end
    local _, stop = data:find("^\r?\n", at + run)
    if stop and stop <= last then return run, stop - at + 1 end
    return run, nil
end

-- Whether an element of a series may begin at AT, judged by the available bytes.
local function may_repeat(repeats, data, at, last)
    local first, second = data:byte(at), at < last and data:byte(at + 1) or nil
    if repeats == "nodes" then
        return first % 2 ~= math.floor(first / 2) % 2 and (not second or second % 2 == 1)
    end
    return math.floor(first / 16) == 0xA and (not second or math.floor(second / 16) == 5)
end

local function is_repeat_good(repeats, data, at, size)
    if not may_repeat(repeats, data, at, at + size - 1) then return false end
    if repeats == "nodes" then return true end
    local sum = 0
    for i = at + 2, at + size - 1 do sum = bit.bxor(sum, data:byte(i)) end
    return sum == data:byte(at) % 16 + data:byte(at + 1) % 16 * 16
end

-- Like search, but also finds the next element of a series.
local function search_any(framing, series, data, at, size)
    local limit = search(framing, data, at, 1, size)
    for i = 1, series and limit - 1 or 0 do
        if may_repeat(series.repeats, data, at + i, at + size - 1) then return i end
    end
    return limit
end

local function line_end(data, at, last)
    if data:byte(at) >= 0x80 then return last end
    local from = data:find("[\r\n]", at)
    if not from or from > last then return nil end
    local _, to = data:find("^[\r\n]+", from)
    return math.min(to, last)
end

-- Kind and size of the piece from AT to LAST at most; nil: incomplete. SERIES: the present series.
local function next_piece(framing, series, data, at, last, is_over)
    local left = last - at + 1
    if not framing then return "frame", left end
    if framing.line then
        local to = line_end(data, at, last) or (is_over and last)
        if to then return "frame", to - at + 1 end
        return nil
    end
    if not may_begin(framing, data, at, last) then
        if is_single(framing, data:byte(at)) then return "single", 1 end
        if is_text(framing, data:byte(at)) then
            local run, text = text_size(framing, data, at, last)
            if text then return "single", text end
            local may_end = run < TEXT_MAX and (run == left or (run + 1 == left and data:byte(last) == 13))
            if may_end and not is_over then return nil end
            return "noise", search_any(framing, series, data, at, run)
        end
        local any, size = search_any(framing, series, data, at, left), 1
        while size < any and not is_single(framing, data:byte(at + size))
            and not is_text(framing, data:byte(at + size)) do
            size = size + 1
        end
        return "noise", size
    end
    local whole = left >= #framing.head and frame_size(framing, data, at, last) or nil
    if whole == 0 then
        return "length", search(framing, data, at, 1, framing.length_at + 1)
    end
    if not whole or whole > left then
        if is_over then return "cut", search(framing, data, at, 1, left) end
        return nil
    end
    if is_check_good(framing, data, at, whole) then return "frame", whole end
    return "checksum", search(framing, data, at, 1, whole)
end

-- ---- Promises: packets without a frame, which an earlier request or frame announces ----

-- The present series; nil: none.
local function series_of(promises)
    local first = promises and promises.queue[1]
    return first and first.repeats and first or nil
end

local function promise_by_row(protocol, promises, framing, row, frame)
    local queue = promises.queue
    local last = #frame - check_size(framing, frame, 1)
    local limit = row.id_count > 0 and math.min(last, row.ids_at + row.id_count) or last
    for i = row.ids_at + 1, row.ids_at > 0 and limit or 0 do
        local packet = find_packet(protocol, "host", frame:byte(i), 0)
        if packet and packet.size > 0 then
            queue[#queue + 1] = { id = frame:byte(i), size = packet.size }
        end
    end
    local length, begins = nil, nil
    if row.repeats then length, begins = long_length(framing, frame, 1, #frame) end
    if not begins then return end
    promises.queue = {} -- it ends the previous series
    local packet = find_packet(protocol, "host", row.id, length)
    if packet and (packet.size == length or packet.element and length > packet.size) then
        promises.queue[1] = { id = row.id, size = length, repeats = row.repeats }
    end
end

-- Updates the promises after a frame.
local function note_frame(protocol, promises, framing, to, frame, now)
    if to == "robot" and now - promises.time > SILENCE_S and not series_of(promises) then
        promises.queue = {}
    end
    promises.is_asked = to == "robot"
    for _, row in ipairs(framing.promises or {}) do
        if row.id == frame:byte(framing.id_at + 1) then
            promises.time = now
            promise_by_row(protocol, promises, framing, row, frame)
        end
    end
end

local function series_size(series, is_asked, framing, data, at, last)
    local is_frame = may_begin(framing, data, at, last)
        and (last - at + 1 < #framing.head or frame_size(framing, data, at, last) ~= 0)
    if is_frame and is_asked or not may_repeat(series.repeats, data, at, last) then return nil end
    local is_good = last - at + 1 < series.size or is_repeat_good(series.repeats, data, at, series.size)
    return not (is_frame and not is_good) and series.size or nil
end

local function promised_size(promises, framing, data, at, last)
    local first = promises.queue[1]
    if not first then return nil end
    if first.repeats then
        return series_size(first, promises.is_asked, framing, data, at, last)
    end
    local whole = may_begin(framing, data, at, last) and last - at + 1 >= #framing.head
        and frame_size(framing, data, at, last)
    local is_frame = framing.check ~= "none" and whole and whole > 0 and at + whole - 1 <= last
        and is_check_good(framing, data, at, whole)
    return not is_frame and first.size or nil
end

-- Kind, size and ID of the promised piece at AT; nil: none; false: it is incomplete.
local function next_promised(promises, framing, data, at, last, is_over, now)
    local size = promised_size(promises, framing, data, at, last)
    local left = last - at + 1
    local first, series = promises.queue[1], series_of(promises)
    if not size then return nil end
    if size > left then
        if not is_over then return false end
        if series then return "cut", search_any(framing, series, data, at, left) end
        promises.queue = {}
        return "cut", left
    end
    if series and not is_repeat_good(series.repeats, data, at, size) then
        return "checksum", search_any(framing, series, data, at, size)
    end
    promises.time = now
    if not series then table.remove(promises.queue, 1) end
    return "promised", size, first.id
end

local function copy_promises(from)
    return { queue = { unpack(from.queue) }, is_asked = from.is_asked, time = from.time }
end

-- ---- Display ----

local function show_fields(tree, packet, range)
    local at = 0
    for _, field in ipairs(packet.fields) do
        if field.type == "char" then
            tree:add(field.proto, range(at, field.count))
            at = at + field.count
        else
            for _ = 1, field.count do
                local part = range(at, field.step)
                local value = part[field.read](part)
                if field.bit_count then
                    value = math.floor(value / 2 ^ field.bit_from) % 2 ^ field.bit_count
                end
                if field.scale ~= 1 then value = value * field.scale end
                local item = tree:add(field.proto, part, value)
                if field.suffix then item:append_text(field.suffix) end
                at = at + field.width
            end
        end
    end
end

local function show_packet(protocol, tree, to, id, packet, range, whole, info)
    local size = range and range:len() or 0
    packet = packet or find_packet(protocol, to, id, size)
    if not packet then
        local item = tree:add(protocol.f_bytes, whole)
        item:append_text(string.format(" (unknown packet 0x%02x)", id))
        item:add_proto_expert_info(protocol.experts.unknown,
                                   string.format("Unknown packet 0x%02x", id))
        info[#info + 1] = string.format("unknown 0x%02x", id)
        return
    end
    info[#info + 1] = packet.name
    local sub = tree:add(protocol.f_packet, whole, packet.name)
    if size ~= packet.size and not (packet.element and size >= packet.size) then
        local text = string.format("%s of %d bytes instead of %d", packet.name, size, packet.size)
        sub:add_proto_expert_info(protocol.experts.size, text)
        if size > 0 then sub:add(protocol.f_bytes, range) end
        return
    end
    if size == 0 then return packet end
    show_fields(sub, packet, range)
    local at = packet.size
    local element = packet.element
    -- Elements of one field, such as pixels, are shown as bytes: one line for each would be unreadable.
    if element and #element.fields == 1 then
        if size > at then sub:add(protocol.f_bytes, range(at)) end
        return packet
    end
    while element and size - at >= element.size do
        show_fields(sub:add(range(at, element.size), element.name), element,
                    range(at, element.size))
        at = at + element.size
    end
    if at < size then sub:add(protocol.f_bytes, range(at)) end
    return packet
end

-- The bytes of a frame up to its check, without stuffed bytes.
local function unstuffed(framing, range, last)
    local from, data = framing.stuffed_from, range:bytes():raw()
    if not from or not data:find("\255\255\253\253", from + 1, true) then return range, last end
    local body = data:sub(from + 1, last):gsub("\255\255\253\253", "\255\255\253")
    local plain = data:sub(1, from) .. body
    return ByteArray.new(plain, true):tvb("Unstuffed"):range(), #plain
end

-- Calls EACH(id, packet, body or nil, all bytes of it) for each part of a frame.
local function each_part(protocol, framing, to, kind, range, each)
    local size = range:len()
    if framing.line or kind == "single" then
        each(nil, framing.line or framing.single or framing.text, range, range)
        return
    end
    local last = size - check_size(framing, range:bytes():raw(), 1)
    local at, whole = framing.body_at, range
    range, last = unstuffed(framing, range, last)
    if framing.series and select(2, long_length(framing, range:bytes():raw(), 1, size)) then
        each(framing.series.id, framing.series, range(framing.length_at), range)
        return
    end
    if framing.parts == "none" then
        local id = not framing.only and range(framing.id_at, 1):uint() or nil
        each(id, framing.only, at < last and range(at, last - at) or nil, whole)
        return
    end
    local head = framing.parts == "sized" and 2 or 1
    while last - at >= head do
        local id = range(at, 1):uint()
        local known = find_packet(protocol, to, id, 0)
        local length = head == 2 and range(at + 1, 1):uint() or known and known.size or last
        length = math.min(length, last - at - head)
        each(id, nil, length > 0 and range(at + head, length) or nil, range(at, head + length))
        at = at + head + length
    end
end

local bad_names = {
    checksum = "bad checksum", length = "impossible length", noise = "noise", cut = "cut off",
}

-- ---- Requests and replies ----

local function link(protocol, state, pinfo, tree, packet)
    if not packet then return end
    local number = pinfo.number
    if not pinfo.visited then
        if packet.to == "robot" then
            state.asked[packet.name] = number
        elseif packet.answers and state.asked[packet.answers] then
            local asked = state.asked[packet.answers]
            state.request_of[number] = asked
            state.reply_of[asked] = state.reply_of[asked] or number
        end
    end
    if packet.to == "host" and packet.answers and state.request_of[number] then
        tree:add(protocol.f_request, state.request_of[number]):set_generated()
    elseif packet.to == "robot" and packet.is_asked and state.reply_of[number] then
        tree:add(protocol.f_reply, state.reply_of[number]):set_generated()
    end
end

-- ---- A block of bytes ----

local states = {} -- by interface name

function line.init() states = {} end

local function state_of(name, channel)
    local state = states[name]
    if not state then
        local makes = channel.host and channel.host.promises or channel.robot and channel.robot.promises
        state = { promised = {}, -- promises before each block
                  promises = makes and { queue = {}, time = 0 } or nil,
                  asked = {}, request_of = {}, reply_of = {},
                  host = { carry = "", time = 0, before = {} },
                  robot = { carry = "", time = 0, before = {} } }
        states[name] = state
    end
    return state
end

local function show_piece(protocol, framing, state, to, pinfo, tree, kind, range, id, info)
    local sub = tree:add(protocol.proto, range)
    sub:append_text(to == "host" and ", to host" or ", to robot")
    if bad_names[kind] then
        sub:append_text(": " .. bad_names[kind])
        sub:add(protocol.f_bytes, range)
        sub:add_proto_expert_info(protocol.experts[kind])
        info[#info + 1] = bad_names[kind]
        return
    end
    sub:add(protocol.f_direction, to == "host" and "to host" or "to robot"):set_generated()
    sub:add(protocol.f_size, range:len()):set_generated()
    if not framing then
        sub:add(protocol.f_bytes, range)
        info[#info + 1] = range:len() .. " bytes"
        return
    end
    if kind == "promised" then
        link(protocol, state, pinfo, sub, show_packet(protocol, sub, to, id, nil, range, range, info))
        return
    end
    each_part(protocol, framing, to, kind, range, function(id, packet, body, whole)
        packet = show_packet(protocol, sub, to, id, packet, body, whole, info)
        link(protocol, state, pinfo, sub, packet)
    end)
    local count = kind == "frame" and check_size(framing, range:bytes():raw(), 1) or 0
    if count > 0 then sub:add_le(protocol.f_check, range(range:len() - count, count)) end
end

-- Shows all pieces of a block, which may begin with bytes of earlier blocks.
local function show_block(protocol, framing, state, to, tvb, pinfo, tree)
    local way = state[to]
    local number = pinfo.number
    local now = tonumber(tostring(pinfo.rel_ts)) or 0
    if not pinfo.visited and not way.before[number] and way.carry ~= "" then
        way.before[number] = { way.carry, now - way.time > SILENCE_S }
    end
    local promises = framing and state.promises
    if promises and pinfo.visited then
        promises = copy_promises(state.promised[number] or state.promises)
    elseif promises then
        state.promised[number] = copy_promises(promises)
    end
    local before = way.before[number] or { "", false }
    local old = #before[1]
    local bytes = tvb
    if old > 0 then
        bytes = ByteArray.new(before[1] .. tvb:raw(HEADER), true):tvb("Reassembled")
    else
        bytes = tvb:range(HEADER):tvb()
    end
    local data = bytes:raw()
    local at, info = 1, {}
    while at <= #data do
        local is_old = before[2] and at <= old
        local last = is_old and old or #data
        local kind, size, id
        if promises and to == "host" then
            kind, size, id = next_promised(promises, framing, data, at, last, is_old, now)
        end
        if kind == nil then
            local series = to == "host" and series_of(promises) or nil
            kind, size = next_piece(framing, series, data, at, last, is_old)
        end
        if not kind then break end
        if promises and kind == "frame" then
            note_frame(protocol, promises, framing, to, data:sub(at, at + size - 1), now)
        end
        show_piece(protocol, framing, state, to, pinfo, tree, kind, bytes:range(at - 1, size), id,
                   info)
        at = at + size
    end
    if at <= #data then
        tree:add(protocol.proto, bytes:range(at - 1)):append_text(", incomplete: the next packet continues it")
        if #info == 0 then info[1] = "..." end
    end
    if not pinfo.visited then
        way.carry = data:sub(at)
        way.time = now
    end
    pinfo.cols.protocol = protocol.name
    pinfo.cols.info = (to == "host" and "<- " or "-> ") .. table.concat(info, ", ")
end

-- ---- Encapsulation: RTAC serial, with a different dissection for the bytes of robots ----

-- The protocol and channel of a line, from its description or its name.
local function protocol_of_line()
    local name = interface_name()
    local description = interface_description()
    name = name and tostring(name) or ""
    description = description and tostring(description) or ""
    local kind, channel = description:match("^(%S+)%s+([%w_]+)")
    if not ptybot.protocols[kind or ""] then
        kind, channel = name:match("^([^.]+)%.?([%w_]*)")
    end
    local protocol = ptybot.protocols[kind or ""]
    if not protocol then return nil end
    return protocol, protocol.channels[channel] or protocol.channels[protocol.first], name
end

function line.dissector(tvb, pinfo, tree)
    if tvb:len() < HEADER then return rtac:call(tvb, pinfo, tree) end
    local kind = tvb(8, 1):uint()
    local protocol, channel, name = protocol_of_line()
    if not protocol then return rtac:call(tvb, pinfo, tree) end
    rtac:call(tvb:range(0, HEADER):tvb(), pinfo, tree)
    if event_experts[kind] then
        tree:add(line, tvb(8, 1), event_names[kind]):add_proto_expert_info(event_experts[kind])
    end
    if tvb:len() > HEADER and kind >= 1 and kind <= 4 then
        local to = kind % 2 == 1 and "robot" or "host"
        show_block(protocol, channel[to], state_of(name, channel), to, tvb, pinfo, tree)
    end
    return tvb:len()
end

DissectorTable.get("wtap_encap"):add(wtap and wtap.RTAC_SERIAL or 153, line)

return ptybot
